import { readPage } from '@reading-list/page-reader';

globalThis.readingListPage = (url) => readPage(document, url);
