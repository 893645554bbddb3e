import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportCommand } from '../../src/cli/report.js';
import { runCommand } from '../cli/command.js';
import { keptFolder } from '../cli/folder.js';
import { chromiumOrNote, launch, openFile, VIEWS } from './browser.js';
import { HOSTILE_ID, HOSTILE_SEEN, hostileRun } from './hostile.js';

const CHROMIUM = chromiumOrNote('the explorer of the report in a browser');
const folder = keptFolder();
afterAll(folder.remove);

/** The report of these runs, as the command writes it. */
async function pageOf(name: string, dirs: readonly string[]): Promise<string> {
  const file = join(folder.path, name);
  const { code, stderr } = await runCommand(reportCommand(), ...dirs, '--out', file);
  expect(code, stderr).toBe(0);
  return file;
}

describe.skipIf(CHROMIUM === null)('the explorer in Chromium', () => {
  let browser: Browser;
  let dir: string;
  let file: string;
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '');
    dir = await hostileRun(folder.path);
    file = await pageOf('page.html', [dir]);
  });
  afterAll(() => browser?.close());

  const count = (page: Page) => page.locator('#ex-count').textContent();
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
  const foreign = (page: Page) =>
    page.evaluate('document.querySelectorAll("script, img, style, iframe, textarea, #forged, i, u").length');

  test.each(VIEWS)('$width wide, $colorScheme: filters, opens a sample, asks for nothing', async view => {
    const { page, complaints, requests } = await openFile(browser, file, view);
    expect(await count(page)).toBe('97 of 97 samples');
    const elements = await foreign(page);
    expect(elements).toBe(3);

    await page.getByLabel('Verdict against baseline').selectOption('flips');
    expect(await count(page)).toBe('48 of 97 samples');
    expect(await page.locator('.ex-row').first().textContent()).toContain('delete flips');
    await page.getByLabel('Label').selectOption('compliant');
    expect(await count(page)).toBe('0 of 97 samples');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await count(page)).toBe('97 of 97 samples');

    await page.getByLabel('Search').fill(HOSTILE_ID.slice(0, 6));
    expect(await count(page)).toBe('1 of 97 samples');
    await page.locator('.ex-row').click();
    const detail = page.locator('#ex-detail');
    const seen = (await detail.textContent()) ?? '';
    expect(seen).toContain('Sample h/<i>1</i>U+202E right-to-left override');
    expect(seen).toContain(`Scenario: ${HOSTILE_SEEN}\nQuestion:`);
    expect(seen).toContain(`Rule: You must not ${HOSTILE_SEEN}\nScenario:`);
    expect(seen).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(await detail.locator('ins').allTextContents()).toContain('not ');
    expect(await detail.locator('del').first().textContent()).toBe(`You must ${HOSTILE_SEEN}`);
    expect(seen.match(/its SHA-256 is that of the evaluated prompt/g)?.length).toBeGreaterThanOrEqual(4);

    expect(await foreign(page)).toBe(elements);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.context().close();
  });

  test('works from the keyboard, with a focus that can be seen', async () => {
    const { page } = await openFile(browser, file, VIEWS[0] as (typeof VIEWS)[number]);
    await page.locator('.ex-row').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const third = await page.locator('.ex-row').nth(2).textContent();
    expect(await focused(page)).toBe(third);
    await page.keyboard.press('Enter');
    const id = (await page.locator('.ex-row').nth(2).locator('.ex-id').textContent()) ?? '-';
    expect(await focused(page)).toBe(`Sample ${id}`);
    expect(await page.locator('[aria-current]').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('#ex-detail').isVisible()).toBe(false);
    expect(await focused(page)).toBe(third);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).not.toBe('ex-row');
    await page.context().close();
  });

  test('shows several runs, ordered by margin shift, without a corpus and without a verdict', async () => {
    const other = join(folder.path, 'other');
    await hostileRun(folder.path, {
      dir: other,
      every: 8,
      change: row => ({
        ...row,
        ...(row.condition === 'swap' && row.margin !== null && { margin: row.margin + 7 }),
        ...(row.condition === 'baseline' && { verdictText: null, nullReason: 'no-label' }),
        promptSha256: row.condition === 'delete' ? 'ab'.repeat(32) : row.promptSha256,
      }),
    });
    const both = await pageOf('both.html', [dir, other]);
    rmSync(join(folder.path, 'small.jsonl'));
    const bare = await pageOf('bare.html', [other]);

    const { page, complaints } = await openFile(browser, both, VIEWS[2] as (typeof VIEWS)[number]);
    expect(await count(page)).toBe('110 of 110 samples');
    expect(await page.locator('.ex-row').count()).toBe(100);
    await page.getByRole('button', { name: 'Show 10 more' }).click();
    expect(await page.locator('.ex-row').count()).toBe(110);
    await page.locator('#ex-run').selectOption({ index: 2 });
    expect(await count(page)).toBe('13 of 110 samples');
    await page.getByLabel('Order').selectOption('shift');
    expect(await page.locator('.ex-row').first().textContent()).toContain('margin shift 7.000');
    await page.locator('#ex-condition').selectOption('delete');
    expect(await page.locator('.ex-row').first().textContent()).toContain('margin shift 2.750');
    await page.getByLabel('Verdict against baseline').selectOption('unknown');
    expect(await count(page)).toBe('13 of 110 samples');
    await page.getByLabel('Verdict reader').selectOption('logit');
    expect(await count(page)).toBe('0 of 110 samples');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('without a verdict').check();
    expect(await count(page)).toBe('13 of 110 samples');
    await page.locator('.ex-row').first().click();
    const seen = await page.locator('#ex-detail').textContent();
    expect(seen).toContain('none (no-label)');
    expect(seen).toContain('This is not the prompt that was evaluated');
    expect(complaints).toEqual([]);
    await page.context().close();

    const without = await openFile(browser, bare, VIEWS[0] as (typeof VIEWS)[number]);
    await without.page.locator('.ex-row').first().click();
    const words = await without.page.locator('#ex-detail').textContent();
    expect(words).toContain('The texts cannot be shown: the corpus is not at hand');
    expect(words).toContain('logit readercompliant');
    expect(without.complaints).toEqual([]);
    await without.page.context().close();
  });
});
