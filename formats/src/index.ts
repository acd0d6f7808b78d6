export { decode, unicodeOf } from './decode.js';
export { type Entry, type EntryFields, type LeftOut, MAX_EXCERPT, MAX_TITLE } from './entry.js';
export { isOwnLines, OWN_FORMAT, parseOwnLine } from './own-lines.js';
export { NO_PAGE, noPage, type NoPage } from './pages.js';
export { nameOfPlace, type Place, ReadError } from './read-error.js';
export { type Contents, FORMATS, readExport, UnknownExport } from './read-export.js';
