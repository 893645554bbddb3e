import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import { formatPartition, parsePartition, partitionOf } from '../../src/audit/partition.js';
import { PlumblineError } from '../../src/errors.js';
import type { Reading } from '../../src/run/types.js';
import { readingsArbitrary } from './generate.js';
import { reading } from './rows.js';

const source = { planHash: 'ab12', subject: 'first.gguf' };
const about = { subject: 'second.gguf', corpus: 'hand-made', run: null };

function judge(id: string, flips: readonly [0 | 1, 0 | 1, 0 | 1], right: boolean): Reading[] {
  const before = right ? 1 : 0;
  const turned = (flip: 0 | 1) => (flip === 1 ? (right ? 0 : 1) : before);
  return [
    reading(id, 'baseline', before),
    reading(id, 'delete', turned(flips[0])),
    reading(id, 'swap', turned(flips[1])),
    reading(id, 'negate', turned(flips[2])),
  ];
}
const first = [
  ...judge('d/1', [0, 0, 0], true),
  ...judge('d/2', [1, 1, 0], true),
  ...judge('d/3', [0, 1, 0], true),
  ...judge('d/4', [0, 0, 0], true),
  reading('d/5', 'baseline', null),
  reading('d/5', 'delete', 1),
];

describe('partitions', () => {
  it('fixes the groups of a run', () => {
    expect(partitionOf(first, 'text', source)).toEqual({
      source,
      reader: 'text',
      LOW: ['d/1', 'd/4'],
      HIGH: ['d/2'],
      neither: ['d/3'],
      open: ['d/5'],
    });
  });

  it('is the same after writing and reading, whatever the order of rows', () => {
    fc.assert(
      fc.property(readingsArbitrary, rows => {
        const partition = partitionOf(rows, 'logit', source);
        expect(parsePartition(formatPartition(partition), 'p.json')).toEqual(partition);
        expect(formatPartition(partitionOf([...rows].reverse(), 'logit', source))).toBe(
          formatPartition(partition),
        );
      }),
      { numRuns: 25 },
    );
  });

  it("meets another run's samples", () => {
    const second = [
      ...judge('d/1', [0, 0, 0], false),
      ...judge('d/2', [1, 0, 0], true),
      ...judge('d/4', [1, 0, 0], true),
      ...judge('d/9', [0, 0, 0], true),
    ];
    const partition = partitionOf(first, 'text', source);
    const applied = analyzeReadings(second, { about, exactness: null, partition }).partition;
    expect(applied).toMatchObject({ source: 'first.gguf', reader: 'text', absent: 2, outside: 1 });
    const [low, high, neither] = applied?.groups ?? [];
    expect(low).toMatchObject({ group: 'LOW', samples: 2 });
    expect(low?.accuracy.map(row => [row.condition, row.rate.count, row.rate.n])).toEqual([
      ['baseline', 1, 2],
      ['delete', 0, 2],
      ['swap', 1, 2],
      ['negate', 1, 2],
    ]);
    expect(low?.flips.map(row => [row.measure, row.rate.rate])).toEqual([
      ['delete', 0.5],
      ['swap', 0],
      ['negate', 0],
      ['agg', 1 / 6],
    ]);
    expect(high).toMatchObject({ group: 'HIGH', samples: 1 });
    expect(neither).toMatchObject({ samples: 0, accuracy: [{ rate: { rate: null } }, {}, {}, {}] });
  });

  it('a run on its own partition gives its own group table', () => {
    const partition = partitionOf(first, 'text', source);
    const summary = analyzeReadings(first, { about, exactness: null, partition });
    expect(summary.partition?.groups).toEqual(summary.readers.text.byGroup);
  });
});

describe('partition files that are wrong', () => {
  const good: Record<string, unknown> = JSON.parse(formatPartition(partitionOf(first, 'text', source)));
  const fault = (text: string): string => {
    try {
      parsePartition(text, 'p.json');
    } catch (error) {
      if (error instanceof PlumblineError) return `${error.code}: ${error.message}`;
      throw error;
    }
    return 'accepted';
  };
  const changed = (more: Record<string, unknown>): string => fault(JSON.stringify({ ...good, ...more }));

  it('the good one is accepted', () => expect(changed({})).toBe('accepted'));
  it.each([
    ['not JSON', () => fault('{"format":'), /p\.json is not JSON/],
    ['an array', () => fault('[]'), /p\.json: at the top/],
    ['another format', () => changed({ format: 'table' }), /: format[.:]/],
    ['a later version', () => changed({ version: 2 }), /: version[.:]/],
    ['another reader', () => changed({ reader: 'nose' }), /: reader[.:]/],
    ['a missing list', () => changed({ LOW: undefined }), /: LOW[.:]/],
    ['a number as id', () => changed({ HIGH: [3] }), /: HIGH\[0\]: /],
    ['an unknown field', () => changed({ low: [] }), /low/],
    ['no source', () => changed({ source: { planHash: '' } }), /: source[.:]/],
    ['a sample in two groups', () => changed({ HIGH: ['d/1'] }), /d\/1 in both LOW and HIGH/],
    ['a sample twice', () => changed({ HIGH: ['d/7', 'd/7'] }), /d\/7 twice in HIGH/],
  ])('%s', (_, act, message) => {
    expect(act()).toMatch(/^PARTITION_INVALID: /);
    expect(act()).toMatch(message);
  });
});
