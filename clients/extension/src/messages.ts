/** What the other parts of the extension ask of the background. */
export type Request = { do: 'save'; tabId: number } | { do: 'position'; url: string; words: number };

/** The outcome of saving a page. */
export type Saved = { key: string; isNew: boolean } | { problem: string };

/** The port that the popup keeps open, so that what was done in it is sent when it closes. */
export const POPUP = 'popup';

export const ask = (request: Request): Promise<Saved> => chrome.runtime.sendMessage<Request, Saved>(request);
