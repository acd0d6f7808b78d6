// Draws the icons, and takes the README's screenshots with the built service: the popup on a saved page, and the settings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'reading-list-pictures-'));
const URL_SHOWN = 'https://nature.example.org/mosses';
const TEXT = 'A moss has no roots. It drinks with its leaves, and when there is nothing to drink it waits. '.repeat(60);
const OTHERS = ['On slowness', 'A history of the public library', 'Wie man ein altes Haus mit wenig Geld warm bekommt'];

const service = spawn(process.execPath, [here('../../dist/src/main.js')], {
  cwd: folder,
  env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' },
});
const [line] = await once(service.stdout, 'data');
const url = /listening on (\S+)/.exec(String(line))[1];
const authorization = `Basic ${btoa('me:secret')}`;

const extension = join(folder, 'extension');
cpSync(here('dist/chromium'), extension, { recursive: true });
const manifest = JSON.parse(readFileSync(join(extension, 'manifest.json'), 'utf8'));
writeFileSync(
  join(extension, 'manifest.json'),
  JSON.stringify({ ...manifest, host_permissions: ['http://127.0.0.1/*'] }),
);
const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: false,
  ignoreDefaultArgs: ['--disable-extensions'],
  args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-unsafe-extension-debugging'],
  colorScheme: 'light',
});
try {
  await drawIcons();
  await save({
    url: URL_SHOWN,
    title: 'A field guide to mosses',
    word_count: 1260,
    read_position: 440,
    favorite: true,
  });
  for (const [at, title] of OTHERS.entries()) await save({ url: `https://example.com/${at}`, title });
  const id = await install();
  await photographPopup(id);
  await photographSettings(id);
} finally {
  await context.close();
  service.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function drawIcons() {
  const svg = readFileSync(here('../../web/public/icon.svg'), 'utf8');
  const page = await context.newPage();
  for (const size of [16, 32, 48, 128]) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<style>body { margin: 0 } svg { display: block; inline-size: ${size}px }</style>${svg}`);
    await page.screenshot({ path: here(`public/icons/${size}.png`), omitBackground: true });
  }
  await page.close();
}

async function save(fields) {
  const response = await fetch(`${url}/v2/articles`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, added_by: 'phone' }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Loads the extension, as somebody who is signed in; its identifier. */
async function install() {
  const cdp = await context.browser().newBrowserCDPSession();
  const { id } = await cdp.send('Extensions.loadUnpacked', { path: extension });
  const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const session = { service: url, authorization, account: 'pictures', name: 'me' };
  await background.evaluate((kept) => chrome.storage.local.set({ session: kept }), session);
  return id;
}

async function photographPopup(id) {
  const cdp = await context.browser().newBrowserCDPSession();
  const page = await context.newPage();
  await page.route(URL_SHOWN, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<title>Mosses</title><article><p>${TEXT}</article>` }),
  );
  await page.goto(URL_SHOWN);
  // The list has to be here before the button is clicked.
  await page.waitForTimeout(2_000);
  const targets = async (type) => (await cdp.send('Target.getTargets', { filter: [{ type }] })).targetInfos;
  const tab = (await targets('tab')).find((target) => target.url === URL_SHOWN);
  await cdp.send('Extensions.triggerAction', { id, targetId: tab.targetId });
  await page.waitForTimeout(2_000);
  const popup = (await targets('page')).find((target) => target.url.endsWith('/popup.html'));
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId: popup.targetId });
  const answer = new Promise((resolve) =>
    cdp.on('Target.receivedMessageFromTarget', ({ message }) => resolve(JSON.parse(message).result.data)),
  );
  const message = JSON.stringify({ id: 1, method: 'Page.captureScreenshot', params: { format: 'png' } });
  await cdp.send('Target.sendMessageToTarget', { sessionId, message });
  writeFileSync(here('popup.png'), Buffer.from(await answer, 'base64'));
}

async function photographSettings(id) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto(`chrome-extension://${id}/options.html`);
  // As elsewhere than in this picture.
  await page.getByLabel('Address of the service').fill('https://list.example.com');
  await page.getByText('Signed in as').evaluate((heading) => heading.lastElementChild.remove());
  await page.screenshot({ path: here('settings.png'), fullPage: true });
}
