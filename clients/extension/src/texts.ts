import type messages from '../public/_locales/en/messages.json';

export type TextName = keyof typeof messages;

/** A sentence in the browser's language; of `_locales`. */
export const t = (name: TextName, value: string | number = ''): string =>
  chrome.i18n.getMessage(name, typeof value === 'number' ? number(value) : value);

const number = (value: number): string => value.toLocaleString(chrome.i18n.getMessage('language'));

/** Gives a page its language and its title. */
export function describePage(title: TextName): void {
  document.documentElement.lang = t('language');
  document.title = t(title);
}
