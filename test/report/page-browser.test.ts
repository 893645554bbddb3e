import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildReport } from '../../src/api/report.js';
import { keptFolder } from '../cli/folder.js';
import { chromiumOrNote, launch, openFile, VIEWS } from './browser.js';
import { hostileRun } from './hostile.js';

const CHROMIUM = chromiumOrNote('the report page in a browser');
const folder = keptFolder();
afterAll(folder.remove);

describe.skipIf(CHROMIUM === null)('the report in Chromium', () => {
  let browser: Browser;
  const file = join(folder.path, 'report.html');
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '');
    const dir = await hostileRun(folder.path);
    writeFileSync(file, (await buildReport([dir], { reader: 'text', floor: true })).html);
  }, 120_000);
  afterAll(() => browser?.close());

  test.each(VIEWS)('at $width px, $colorScheme: fits, no complaint, no request', async view => {
    const { page, complaints, requests } = await openFile(browser, file, view);
    const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(excess)).toBe(0);
    const layout = view.width < 640 ? 'narrow' : 'wide';
    const other = layout === 'wide' ? 'narrow' : 'wide';
    expect(await page.locator(`figure#answer svg.${layout}`).isVisible()).toBe(true);
    expect(await page.locator(`figure#answer svg.${other}`).isVisible()).toBe(false);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(view.colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 29)');

    await page.locator('figure#answer summary').click();
    expect(await page.locator('figure#answer table').isVisible()).toBe(true);
    await page.locator('#ex-list button').first().click();
    expect(await page.locator('#ex-detail').isVisible()).toBe(true);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.context().close();
  });

  test('every picture has a name and a description that a screen reader finds', async () => {
    const [view] = VIEWS;
    if (view === undefined) throw new Error('expected a view');
    const { page } = await openFile(browser, file, view);
    const pictures = page.getByRole('img');
    const count = await pictures.count();
    expect(count).toBeGreaterThan(2);
    for (let i = 0; i < count; i++) {
      const ids = ((await pictures.nth(i).getAttribute('aria-labelledby')) ?? '').split(' ');
      expect(ids.length).toBe(2);
      for (const id of ids) expect(await page.locator(`[id="${id}"]`).textContent()).not.toBe('');
    }
    await page.context().close();
  });
});
