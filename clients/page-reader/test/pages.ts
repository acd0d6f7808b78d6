import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download } from '../src/node/index.js';

/** A page as it was saved, and what it is. */
export interface SavedPage extends Download {
  name: string;
  title: string;
  /** Counted by hand: the text with its headings and captions, without the title. Undefined if there is no article. */
  words: number | undefined;
  /** The words that the text begins with. */
  begins?: string;
  preview?: string;
  /** If it is not the URL of the page. */
  resolved_url?: string;
}

type Row = Partial<Pick<SavedPage, 'contentType' | 'url' | 'begins' | 'preview' | 'resolved_url'>>;

const HTML = 'text/html; charset=utf-8';

const page = (name: string, title: string, words: number | undefined, row: Row = {}): SavedPage => ({
  name,
  title,
  words,
  url: `https://www.site.example/2026/${name}`,
  contentType: HTML,
  bytes: readFileSync(join(import.meta.dirname, 'pages', name)),
  ...row,
});

const ARTICLES = [
  page('news.html', 'Lowick harbour dredged after thirty years', 186, {
    url: 'https://www.echo.example/news/lowick-harbour?utm_source=feed',
    begins: 'The harbour at Lowick',
    preview: 'https://img.echo.example/2026/lowick.jpg',
    resolved_url: 'https://www.echo.example/news/lowick-harbour',
  }),
  page('short-news.html', 'Mill Lane footbridge closed', 61, { begins: 'The footbridge at Mill Lane' }),
  page('press.html', 'Channel open again', 189, {
    begins: '3 March 2026\nThe harbour',
    resolved_url: 'https://www.site.example/press/channel-open',
  }),
  page('blog.html', 'Let it sleep', 220, { begins: 'For years my bread' }),
  page('ghost.html', 'What the flood leaves', 188, {
    preview: 'https://plot17.example/content/images/size/w1200/2026/mud.jpg',
  }),
  page('comments.html', 'The duck in the wheelbarrow', 188, { begins: 'Our allotment lies' }),
  page('ads-inside.html', 'A nail in a post', 188, { begins: 'Our allotment lies' }),
  page('hashed-classes.html', 'The highest bed', 212, { begins: 'The night train from Vienna' }),
  page('quotes.html', 'On listening', 238, { begins: 'An old editor wrote down' }),
  page('recipe.html', 'Bread that sings', 238, { begins: 'For years my bread' }),
  page('listicle.html', 'Five things about heat', 211, { begins: 'Gaps\nMost houses' }),
  page('wiki.html', 'Lichen', 205, { begins: 'A lichen is not a single organism' }),
  page('docs.html', 'Queues', 217, {
    begins: 'A queue keeps messages',
    preview: 'https://www.site.example/img/card.png',
  }),
  page('readme.html', 'courier/queue: messages until a worker has time', 212, {
    preview: 'https://git.example/card/queue.png',
  }),
  page('forum.html', 'Plots that flood - Spade Forum', 188, { begins: 'Our allotment lies' }),
  page('question.html', 'How do I make people talk?', 229, {}),
  page('mailing-list.html', 'The cards - weather - lists.weather.example', 212, {}),
  page('newsletter.html', 'Draughts first', 206, { begins: 'Most houses lose' }),
  page('product.html', 'Draught kit for one house', 206, { preview: 'https://cdn.warmly.example/kit.webp' }),
  page('government.html', 'Stop draughts in your home', 206, { begins: 'Most houses lose' }),
  page('paywall.html', 'Forty draws and a half', 99, { preview: 'https://board.example/i/forty.jpg' }),
  page('magazine.html', 'Blue under the blind', 216, {
    begins: 'The night train from Vienna',
    preview: 'http://slow.example/sea.jpg',
  }),
  page('column.html', 'Ochenta libros en un burro', 171, { begins: 'Cuando llegó la primera biblioteca' }),
  page('book-chapter.html', 'Night and Sea | Chapter II', 636, {}),
  page('amp.html', 'Sixty-six thousand pages of rain', 212, {
    url: 'https://amp.weatherwise.example/2026/03/rain-gauges.amp',
    resolved_url: 'https://www.weatherwise.example/2026/03/rain-gauges',
  }),
  page('mobile.html', 'Ein Zug für Oberau', 180, {
    url: 'https://m.talbote.example/lokales/zug-oberau',
    resolved_url: 'https://www.talbote.example/lokales/zug-oberau',
  }),
  page('canonical-home.html', 'Count to four', 202, { url: 'https://voices.example/2026/count-to-four' }),
  page('canonical-elsewhere.html', 'Silt', 186, {}),
  page('site-as-title.html', 'Farmer or jailer?', 203, { begins: 'A lichen is not' }),
  page('no-title.html', 'Ask for things', 202, { begins: 'Your first question' }),
  page('hidden.html', 'Nose to nose', 202, { begins: 'It is hard to explain' }),
  page('font-tags.html', 'RAIN GAUGES', 212, { contentType: 'text/html' }),
  page('unclosed.html', 'Carrots', 193, { contentType: '' }),
  page('xhtml.html', 'La furgoneta azul', 171, { contentType: 'application/xhtml+xml' }),
  page('web-component.html', 'Rue des Lilas', 171, {}),
  page('wrong-charset.html', 'Le marché des Lilas', 171, { begins: 'Le marché de la rue des Lilas' }),
  page('no-charset.html', 'Ein Zug für Oberau', 180, {
    contentType: 'text/html',
    begins: 'Seit dem Frühjahr fährt',
  }),
  page('utf-16.html', 'Un burro y ochenta libros', 171, { begins: 'Cuando llegó' }),
  page('arabic.html', 'دكان الكتب', 149, {
    begins: 'في كل صباح',
    preview: 'https://nahr.example/%D8%B5%D9%88%D8%B1%D8%A9.jpg',
  }),
  page('hebrew.html', 'המפתח החלוד', 118, { begins: 'בכל יום שישי' }),
  page('hebrew-8-bit.html', 'סירה חדשה', 118, { contentType: 'text/html', begins: 'בכל יום שישי' }),
  page('chinese-gbk.html', '爷爷的茶馆', 129, { contentType: 'text/html', begins: '我住在一个小城市里。' }),
  page('japanese-sjis.html', '祖父のお茶', 137, { contentType: 'text/html', begins: 'ここは小さな町です。' }),
  page('thai.html', 'ร้านชาของปู่', 117, { begins: 'ผมอยู่ในเมือง' }),
];

const OTHERS = [
  page('search.html', 'night trains – Finder', undefined, { url: 'https://finder.example/s?q=night+trains' }),
  page('app-shell.html', 'Boards', undefined),
  page('login.html', 'Sign in', undefined),
  page('frames.html', 'Rambling Club of Overton', undefined),
  page('home.html', 'Northern Echo: news from the north', undefined, { url: 'https://www.echo.example/' }),
  page('category.html', 'Strips and brushes', undefined),
  page('video.html', 'Duck in a wheelbarrow', undefined, { preview: 'https://i.tubes.example/duck.jpg' }),
  page('contact.html', 'Contact us', undefined),
  page('empty.html', 'site.example', undefined, { url: 'https://site.example/' }),
  page('report.pdf', 'Tides (and silt) in Lowick', undefined, { contentType: 'application/pdf' }),
  page('xmp.pdf', 'Küste & Meer', undefined, { contentType: 'application/pdf' }),
  page('untitled.pdf', 'Annual report.pdf', undefined, {
    contentType: 'application/pdf',
    url: 'https://www.site.example/files/Annual%20report.pdf?download',
  }),
  page('empty.html', 'duck.jpg', undefined, { contentType: 'image/jpeg', url: 'https://site.example/duck.jpg' }),
];

export const PAGES = [...ARTICLES, ...OTHERS];
