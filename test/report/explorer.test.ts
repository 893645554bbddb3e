import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportSamples } from '../../src/api/report-samples.js';
import { explorerSection } from '../../src/report/explorer/section.js';
import type { ExplorerData } from '../../src/report/explorer/types.js';
import { keptFolder } from '../cli/folder.js';
import { HOSTILE, HOSTILE_ID, hostileRun } from './hostile.js';

const folder = keptFolder();
afterAll(folder.remove);

let dir = '';
beforeAll(async () => {
  dir = await hostileRun(folder.path);
});

const of = (bound?: { readonly samples?: number; readonly bytes?: number }): Promise<ExplorerData> =>
  reportSamples([{ dir, name: 'run' }], 'text', { samples: 2000, bytes: 8_000_000, ...bound });

const ids = ({ samples }: ExplorerData): readonly string[] => samples.map(({ id }) => id);
const flips = ({ samples }: ExplorerData): readonly boolean[] =>
  samples.map(({ conditions }) =>
    conditions.some(({ flipText, flipLogit }) => flipText === 1 || flipLogit === 1),
  );

describe('the samples of a report', () => {
  test('are all there within the bound, in order, each text once', async () => {
    const data = await of();
    expect(data.coverage).toMatchObject({
      reached: null,
      flipping: { shown: 48, all: 48 },
      others: { shown: 49, all: 49 },
    });
    expect(ids(data)).toEqual([...ids(data)].sort());
    expect(new Set(data.texts).size).toBe(data.texts.length);
    const hostile = data.samples.find(({ id }) => id === HOSTILE_ID);
    const text = (index: number | undefined) => data.texts[index ?? -1];
    expect(text(hostile?.scenario)).toBe(HOSTILE);
    const negate = hostile?.conditions.find(({ name }) => name === 'negate');
    const after = negate?.changes?.filter(([kind]) => kind !== 'deleted').map(([, index]) => text(index));
    expect(after?.join('')).toBe(`You must not ${HOSTILE}`);
    expect(negate).toMatchObject({ state: 'evaluated', asEvaluated: true, flipText: 0, shift: 0 });
  });

  test('are the same each time, and a lower bound keeps the beginning of the same draw', async () => {
    expect(await of()).toEqual(await of());
    const [few, more] = [await of({ samples: 10 }), await of({ samples: 60 })];
    expect(more.samples.length).toBe(60);
    expect(ids(few).filter(id => !ids(more).includes(id))).toEqual([]);
  });

  test('that flip come before all others', async () => {
    const few = await of({ samples: 10 });
    expect(few.coverage).toMatchObject({ reached: 'samples', flipping: { shown: 10, all: 48 } });
    expect(flips(few)).toEqual(Array(10).fill(true));
    const more = await of({ samples: 60 });
    expect(more.coverage).toMatchObject({ flipping: { shown: 48 }, others: { shown: 12, all: 49 } });
    expect(flips(more).filter(Boolean)).toHaveLength(48);
  });

  test('take no more bytes of the page than the bound, and the page says what is left out', async () => {
    const whole = await of();
    const json = (data: ExplorerData) => explorerSection(data).html.split('id="ex-data">')[1] ?? '';
    const bytes = Buffer.byteLength(json(whole));
    const half = await of({ bytes: Math.floor(bytes / 2) });
    expect(half.coverage.reached).toBe('bytes');
    expect(Buffer.byteLength(json(half))).toBeLessThanOrEqual(bytes / 2 + 1000);
    expect(half.samples.length).toBeGreaterThan(20);
    const { html } = explorerSection(half);
    expect(html).toContain(`${half.samples.length} of 97 samples are here`);
    expect(html).toContain('shares of this list are no rates');
  });

  test('that are too long for it are there without their texts', async () => {
    const data = await of({ bytes: 20_000 });
    const bare = data.samples.filter(({ why }) => why?.includes('too long'));
    const generous = await of();
    expect(generous.samples.every(({ why }) => why === undefined)).toBe(true);
    expect(bare.length).toBeGreaterThan(0);
    for (const { scenario, conditions } of bare) {
      expect(scenario).toBeUndefined();
      expect(
        conditions.every(({ changes, generated }) => changes === undefined && generated === undefined),
      ).toBe(true);
      expect(conditions.some(({ margin }) => margin !== undefined)).toBe(true);
    }
  });

  test('of several runs are embedded for all that have them, or for none', async () => {
    const other = join(folder.path, 'second');
    await hostileRun(folder.path, { dir: other, every: 2 });
    const runs = [
      { dir, name: 'first' },
      { dir: other, name: 'second' },
    ];
    const data = await reportSamples(runs, 'text', { samples: 31, bytes: 8_000_000 });
    expect(data.samples.length).toBeGreaterThan(29);
    const both = new Set(ids(await reportSamples([runs[1] as (typeof runs)[number]], 'text')));
    for (const id of new Set(ids(data))) {
      expect(ids(data).filter(other => other === id)).toHaveLength(both.has(id) ? 2 : 1);
    }
  });

  test('bring no markup of their own into the page', async () => {
    const { html, script, css } = explorerSection(await of());
    expect(
      html.match(
        /<(?!\/?(section|h2|p|del|ins|noscript|form|label|select|option|input|div|button|ol|script)\b)/g,
      ),
    ).toBeNull();
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.slice(0, html.indexOf('id="ex-data">'))).not.toMatch(/ (style|on\w+)=/);
    expect(`${script}${css}`).not.toMatch(
      /<\/?(script|style)|\beval\b|innerHTML|insertAdjacent|document\.write|https?:/,
    );
    const block = html.slice(html.indexOf('id="ex-data">') + 13, html.lastIndexOf('</script>'));
    expect(JSON.parse(block)).toEqual(JSON.parse(JSON.stringify(await of())));
  });

  test('are listed by a script that stands for itself', () => {
    const { script } = explorerSection({
      reader: 'text',
      runs: [],
      samples: [],
      texts: [],
      coverage: {
        maxSamples: 1,
        maxBytes: 1,
        reached: null,
        flipping: { shown: 0, all: 0 },
        others: { shown: 0, all: 0 },
        seed: 0,
      },
    });
    expect(() => new Function(script)).not.toThrow();
    expect(script).not.toMatch(/\b(import|require|export)\b|__vi/);
  });
});
