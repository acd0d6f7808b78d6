// Takes the README's screenshots: starts the built service, fills a list, and captures the web application.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const DAY = 86_400_000;
const ARTICLES = [
  ['The age of the essay', 'http://www.paulgraham.com/essay.html', 3100, 1200, true],
  ['How to read a book', 'https://fs.blog/how-to-read-a-book/', 2400, 0, false],
  ['Wie man ein altes Haus mit wenig Geld warm bekommt', 'https://www.example.de/altes-haus', 5200, 3000, false],
  ['مقال طويل عن القراءة في زمن الشاشات', 'https://example.org/reading', 1800, 0, false],
  ['The unreasonable effectiveness of plain text', 'https://words.example.com/plain', 900, 0, false],
  ['A history of the public library', 'https://library.example.edu/history', 7600, 400, true],
  ['On slowness', 'https://magazine.example.com/on-slowness', 4100, 0, false],
  ['A field guide to mosses', 'https://nature.example.org/mosses', 2200, 0, false],
];
const EXCERPT = `There is a kind of reading that has nothing to do with getting through. You sit down with a text and let it set the pace; an hour later you have gone four pages, and you could say what each of them was about.

It takes a chair, a lamp and the absence of anything that blinks.`;

const service = spawn(process.execPath, ['dist/src/main.js'], {
  env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' },
});
const [line] = await once(service.stdout, 'data');
const url = /listening on (\S+)/.exec(String(line))[1];
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const [at, article] of ARTICLES.entries()) await create(article, at);
  const wide = { width: 1180, height: 720 };
  await photograph('web-light', { viewport: wide, colorScheme: 'light' }, true);
  await photograph('web-dark', { viewport: wide, colorScheme: 'dark' }, true);
  await photograph('web-phone', { viewport: { width: 390, height: 720 }, colorScheme: 'light' }, false);
} finally {
  await browser.close();
  service.kill();
}

async function create([title, address, word_count, read_position, favorite], at) {
  const fields = { url: address, title, word_count, read_position, favorite, excerpt: EXCERPT };
  const response = await fetch(`${url}/v2/articles`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('me:secret')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, added_by: 'phone', added_on: Date.now() - (at + 1) * 3 * DAY }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function photograph(name, options, withDetail) {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  await page.goto(`${url}/app/`);
  await page.getByLabel('Name').fill('me');
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await page.getByText('On slowness').waitFor();
  await page.getByText('Up to date').waitFor();
  if (withDetail) await page.getByText('The age of the essay').click();
  await page.waitForTimeout(300);
  await page.screenshot({ path: `docs/${name}.png` });
  await context.close();
}
