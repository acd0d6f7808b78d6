import { expect, it } from 'vitest';
import { apiOf, signInByName, someName, useWorld } from './device.js';

const world = useWorld('SQLite', () => ({ PAGE_SIZE: '200' }));

const RUN = 'window.__ran=1';
const MARKUP = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=https://evil.test/pixel.png>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>">`,
  `<iframe src=javascript:parent.__ran=1>`,
  `<body onload=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}>`,
  `<object data=javascript:${RUN}>`,
  `<embed src=https://evil.test/x.swf>`,
  `<link rel=stylesheet href=https://evil.test/x.css>`,
  `<style>@import 'https://evil.test/x.css';</style>`,
  `<meta http-equiv=refresh content="0;url=https://evil.test/">`,
  `<base href=https://evil.test/>`,
  `<a href=javascript:${RUN}>click</a>`,
  `<form action=https://evil.test/><button>x</button></form>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `" onmouseover="${RUN}`,
  `' autofocus onfocus='${RUN}`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</li></ul><script>${RUN}</script>`,
  `\`-${RUN}-\``,
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<<script>${RUN}//<</script>`,
  `<img/src='x'/onerror=${RUN}>`,
  `<x onclick=${RUN} tabindex=1 autofocus>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `\u202e<script>${RUN}</script>\u202c`,
];
const URLS = [
  'https://example.com/"onmouseover="window.__ran=1',
  `https://example.com/'><script>window.__ran=1</script>`,
  'https://example.com/<img/src=x/onerror=window.__ran=1>',
  'https://user:pass@example.com/',
  'https://example.com/#javascript:window.__ran=1',
  'https://example.com/?next=javascript:window.__ran=1',
  'jAvAsCrIpT2://evil.test/%0awindow.__ran=1',
  'ftp://evil.test/file',
  'view-source://evil.test/',
  'intent://evil.test/#Intent;scheme=javascript;end',
  'ms-word:ofe://evil.test/x'.replace('ms-word:ofe', 'ms-word'),
  'chrome://settings',
  'filesystem://evil.test/x',
  'ws://evil.test/socket',
  'x-javascript://evil.test/window.__ran=1',
  'https://xn--80ak6aa92e.com/',
  'https://evil.test\\@example.com/',
  'https://example.com/\u202egnp.exe',
  'https://[::1]/',
  'HTTPS://EVIL.TEST/',
];

it(`${MARKUP.length + URLS.length} hostile titles, excerpts and URLs: nothing runs, nothing loads, only web pages are links`, async () => {
  expect(MARKUP.length + URLS.length).toBe(60);
  const name = someName();
  const api = apiOf(world.url, name);
  const bodies = [
    ...MARKUP.map((text, at) => ({
      url: `https://example.com/markup/${at}`,
      title: text,
      excerpt: text,
      added_by: text,
    })),
    ...URLS.map((url) => ({ url, title: `Title of ${url}` })),
  ];
  for (const body of bodies) expect((await api.create(body)).status).toBe(201);

  const { page, context, problems, close } = await world.device();
  const foreign: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(world.url)) foreign.push(request.url());
  });
  await page.setViewportSize({ width: 1280, height: 6000 });
  await signInByName(page, name);
  await expect.poll(() => page.locator('.list .row').count()).toBeGreaterThanOrEqual(60);
  for (let at = 0; at < bodies.length; at++) await page.keyboard.press('j');
  await page.getByLabel('Search', { exact: true }).fill('<script>');
  await page.waitForTimeout(300);
  await page.getByLabel('Search', { exact: true }).fill('');

  const readLinks = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('a[target]')].map((a) => [a.protocol, a.rel, a.referrerPolicy].join(' '))`,
    );
  await expect.poll(async () => (await readLinks()).length).toBeGreaterThanOrEqual(40);
  const links = await readLinks();
  expect(new Set(links)).toEqual(new Set(['https: noopener noreferrer no-referrer']));
  expect(await page.evaluate('window.__ran')).toBeUndefined();
  expect(await page.locator('script:not([src]), iframe, object, embed, img, base, style').count()).toBe(0);
  expect(foreign).toEqual([]);
  expect(problems).toEqual([]);
  await close();
});

it('every file comes with a policy that allows no inline script, no foreign origin and no frame', async () => {
  for (const path of ['/app/', '/app/sw.js', '/app/manifest.webmanifest']) {
    const { headers } = await fetch(world.url + path);
    const policy = headers.get('content-security-policy')!;
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-cache');
  }
  const html = await (await fetch(`${world.url}/app/`)).text();
  const hashed = /\.\/(assets\/[\w-]+\.js)/.exec(html)![1]!;
  const script = await fetch(`${world.url}/app/${hashed}`);
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

it('a file that the browser has is not sent again, and files are compressed', async () => {
  const first = await fetch(`${world.url}/app/`, { headers: { 'accept-encoding': 'br' } });
  expect(first.headers.get('content-encoding')).toBe('br');
  const again = await fetch(`${world.url}/app/`, { headers: { 'if-none-match': first.headers.get('etag')! } });
  expect(again.status).toBe(304);
});
