import { expect, it } from 'vitest';
import { expectTitles, someName, useWorld } from './device.js';

const world = useWorld('SQLite', () => ({ MAX_ARTICLES_PER_USER: '3' }));

it('an import says what the service refused of it, and the messages about that do not fill the page', async () => {
  const { page, problems, close } = await world.deviceOf(someName());
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  const buffer = Buffer.from(Array.from({ length: 20 }, (_, at) => `https://example.com/${at}`).join('\n'));
  await page.locator('input[type=file]').setInputFiles({ name: 'a.txt', mimeType: '', buffer });
  await page.getByRole('button', { name: 'Import 20 articles' }).click();
  await page.getByText('Import finished').waitFor({ timeout: 60_000 });
  expect(await page.locator('.numbers dd').allTextContents()).toEqual(['3', '0', '17']);
  await page.getByText('Refused: 17').click();
  expect(await page.locator('.refused li').first().textContent()).toMatch(
    /^Line \d+: https:.* \(The limit of 3 articles/,
  );
  await page.getByRole('button', { name: 'Close' }).click();
  const refused = page.getByText('The service did not accept');
  await page.getByText('There are 7 more messages.').waitFor();
  expect(await refused.count()).toBe(10);
  await page.getByRole('button', { name: 'Dismiss', exact: true }).first().click();
  await page.getByText('There are 6 more messages.').waitFor();
  expect(await refused.count()).toBe(10);
  await page.getByRole('button', { name: 'Dismiss all' }).click();
  await refused.first().waitFor({ state: 'detached' });
  await expectTitles(page, ['example.com/2', 'example.com/1', 'example.com/0']);
  expect(problems).toEqual([]);
  await close();
});
