import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fraction, interval, percent, pValue, share, signed, tally, whole } from '../../src/report/format.js';
import {
  displayWidth,
  left,
  printable,
  renderTable,
  right,
  shorten,
  type Table,
  WIDTH,
  wrap,
} from '../../src/report/table.js';

const plain = { colour: false };
const colour = { colour: true };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is looked for
const ESCAPES = /\u001b\[\d+m/g;

const table: Table = {
  columns: [left('name'), right('n'), right('rate')],
  rows: [
    ['a', '3', '.5'],
    ['long name', { text: '12,345', tone: 'bad' }, '–'],
    ['short', '1'],
  ],
};

describe('renderTable', () => {
  it('aligns', () => {
    expect(renderTable(table, plain)).toBe(
      [
        '  name            n  rate',
        '  ─────────  ──────  ────',
        '  a               3    .5',
        '  long name  12,345     –',
        '  short           1',
      ].join('\n'),
    );
  });

  it('colour adds escapes and nothing else', () => {
    const painted = renderTable(table, colour);
    expect(painted).toContain('\u001b[31m12,345\u001b[0m');
    expect(painted.replace(ESCAPES, '')).toBe(renderTable(table, plain));
  });

  it('a table too wide cuts its names in the middle, not its numbers', () => {
    const wide = renderTable(
      { columns: [left('name'), right('x'.repeat(80))], rows: [['a'.repeat(30) + 'z'.repeat(30), '1']] },
      plain,
    );
    for (const line of wide.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(WIDTH);
    expect(wide).toMatch(/a+…z+ +1$/);
  });

  it('wide and combining characters keep the columns', () => {
    const rendered = renderTable(
      {
        columns: [left('domain'), right('n')],
        rows: [
          ['個人情報', '1'],
          ['e\u0301tude', '22'],
          ['x', '3'],
        ],
      },
      plain,
    );
    expect(new Set(rendered.split('\n').map(displayWidth)).size).toBe(1);
  });
});

describe('texts', () => {
  it('what could move the cursor or turn the writing becomes visible', () => {
    expect(printable('a\u001b[2Jb\nc\u202ed\u0000')).toBe('a<U+001B>[2Jb<U+000A>c<U+202E>d<U+0000>');
    expect(printable('règle 個 ✓ _-.')).toBe('règle 個 ✓ _-.');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('shorten keeps both ends and the width', () => {
    expect(shorten('finance_cross_border_payment_law', 15)).toBe('finance…ent_law');
    expect(shorten('short', 15)).toBe('short');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 20 }), (text, width) => {
        expect(displayWidth(shorten(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('wrap loses no word and keeps the width', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 12 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, list => {
        const lines = wrap(list.join(' '), 30).split('\n');
        expect(lines.map(line => line.trim()).join(' ')).toBe(list.join(' '));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
      }),
    );
  });
});

describe('numbers', () => {
  it('shares, intervals, percentages', () => {
    expect([share(0.0756), share(1), share(0), share(null), share(0.126, 2)]).toEqual([
      '.076',
      '1.000',
      '.000',
      '–',
      '.13',
    ]);
    expect(interval({ low: 0.016, high: 1 })).toBe('[.016, 1.000]');
    expect(interval({ low: null, high: null })).toBe('–');
    expect([percent(0.0645), percent(null)]).toEqual(['6.5 %', '–']);
  });
  it('p-values', () => {
    expect([0.0001, 0.00004, 0, 1, 0.05, null].map(pValue)).toEqual([
      '.0001',
      '<.0001',
      '<.0001',
      '1.0000',
      '.0500',
      '–',
    ]);
  });
  it('whole and signed numbers, tallies, fractions', () => {
    expect([0, 999, 1000, 35587, 1234567].map(whole)).toEqual(['0', '999', '1,000', '35,587', '1,234,567']);
    expect([0.5, -0.25, 0, -0.0001, null].map(signed)).toEqual(['+0.500', '−0.250', '0.000', '0.000', '–']);
    expect(
      tally([
        ['no-label', 1200],
        ['empty', 1],
      ]),
    ).toBe('no-label 1,200, empty 1');
    expect(fraction({ count: 3, n: 4000, rate: 0, low: 0, high: 0 })).toBe('3/4,000');
  });
});
