type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'removeEventListener' | 'close'>;

const SILENT: Channel = {
  postMessage: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  close: () => undefined,
};

/** A channel to the other tabs; where the browser has none, each tab goes on by itself. */
export const openChannel = (name: string): Channel =>
  'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : SILENT;
