// Takes the README's screenshot: bare URLs in the web application, before and after a resolver has seen them. Uses the built
// service and resolver, and a site on port 80 of loopback, which only root may open.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Resolver } from './dist/resolver.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SITE = '127.0.0.2';
const PAGES = {
  'nature.example.org/mosses': ['A field guide to mosses', 900],
  'library.example.edu/history': ['A history of the public library', 2300],
  'www.example.de/altes-haus': ['Wie man ein altes Haus mit wenig Geld warm bekommt', 1400],
  'words.example.com/plain': ['The unreasonable effectiveness of plain text', 600],
};
const SENTENCE = 'A moss has no roots, and drinks with its leaves.';

const site = createServer(({ headers, url }, response) => {
  const [title, words] = PAGES[headers.host + url];
  const text = `<p>${SENTENCE}</p>`.repeat(words / SENTENCE.split(' ').length);
  response.writeHead(200, { 'Content-Type': 'text/html' });
  response.end(`<title>${title}</title><article><h1>${title}</h1>${text}</article>`);
});
await once(site.listen(80, SITE), 'listening');
const service = spawn(process.execPath, [here('../../dist/src/main.js')], {
  cwd: here('.'),
  env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' },
});
const [line] = await once(service.stdout, 'data');
const url = /listening on (\S+)/.exec(String(line))[1];
const authorization = `Basic ${btoa('me:secret')}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const resolver = new Resolver({
  url,
  authorizations: [() => Promise.resolve(authorization)],
  trustedAddresses: [SITE],
  resolve: () => Promise.resolve([{ address: SITE, family: 4 }]),
});
try {
  for (const address of Object.keys(PAGES).reverse()) await save(`http://${address}`);
  const page = await openList();
  const before = await page.screenshot();
  void resolver.run();
  for (const [title] of Object.values(PAGES)) await page.getByText(title).waitFor();
  await sideBySide(before, await page.screenshot());
} finally {
  await resolver.stop();
  await browser.close();
  service.kill();
  site.close();
}

async function save(address) {
  const response = await fetch(`${url}/v2/articles`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: address, title: null, added_by: 'phone' }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function openList() {
  const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 390, height: 500 }, colorScheme: 'light' });
  await page.goto(`${url}/app/`);
  await page.getByLabel('Name').fill('me');
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await page.getByRole('button', { name: 'Stay signed in on this device' }).click();
  await page.getByText('nature.example.org/mosses').waitFor();
  await page.getByText('Up to date').waitFor();
  return page;
}

async function sideBySide(...pictures) {
  const page = await browser.newPage({ viewport: { width: 800, height: 500 } });
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString('base64')}">`);
  await page.setContent(
    `<style>body { margin: 0; display: flex; justify-content: space-between; background: #888 }</style>${images.join('')}`,
  );
  await page.screenshot({ path: here('titles.png') });
}
