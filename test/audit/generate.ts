import fc from 'fast-check';
import type { Label } from '../../src/corpus/types.js';
import { CONDITIONS, type Condition } from '../../src/perturb/types.js';
import type { Reading } from '../../src/run/types.js';
import { failed, notApplicable, reading } from './rows.js';

const label = fc.constantFrom<Label>(0, 1);
const margin = fc.integer({ min: -6, max: 6 }).map(m => m / 4);
const cell = fc.record({
  state: fc.constantFrom('verdict', 'verdict', 'verdict', 'verdict', 'null', 'not-applicable', 'error'),
  text: label,
  logit: label,
  margin: fc.option(margin, { freq: 8 }),
  visible: fc.constantFrom(true, true, true, false),
});
type Cell = typeof cell extends fc.Arbitrary<infer T> ? T : never;

function rowOf(sampleId: string, condition: Condition, gold: Label, cell: Cell): Reading {
  const more = { label: gold, margin: cell.margin, visible: cell.visible };
  if (condition !== 'baseline' && cell.state === 'not-applicable') {
    return notApplicable(sampleId, condition, condition === 'placebo' ? 'not-drawn' : 'no-mandatory-modal', {
      label: gold,
    });
  }
  if (cell.state === 'error') return failed(sampleId, condition, 'DECODE', { label: gold });
  return reading(sampleId, condition, cell.state === 'null' ? null : cell.text, {
    ...more,
    verdictLogit: cell.logit,
  });
}

/** Readings of up to 24 samples in three domains, every state of a row among them. */
export const readingsArbitrary: fc.Arbitrary<readonly Reading[]> = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), label, fc.tuple(cell, cell, cell, cell, cell)), {
    minLength: 1,
    maxLength: 24,
  })
  .map(samples =>
    samples.flatMap(([domain, gold, cells], i) =>
      CONDITIONS.flatMap((condition, c) => {
        const one = cells[c];
        return one ? [rowOf(`${domain}/f#${i}`, condition, gold, one)] : [];
      }),
    ),
  );
