import { expect, test } from 'vitest';
import { calibrateWith, catches, type Edit } from './mutant.js';

// Faults in what is read of the residual stream and added to it: block, row, sign, length, direction.

const TAPPED = `pending.taps = tapped.map(tap => ({
                    layer: tap.layer,`;
/** Every tap gives what was read after the block that stands `by` places further, under its own name. */
const otherBlock = (by: 1 | -1): Edit => ({
  file: 'engine/batch.js',
  find: TAPPED,
  put: `pending.taps = tapped.map((tap, at) => ({ ...(tapped[at + ${by}] ?? tap), layer: tap.layer })).map(tap => ({
                    layer: tap.layer,`,
});
const fitFrom = (activation: string): Edit => ({
  file: 'api/capture.js',
  find: 'outcome.taps.map(tap => tap.activation)',
  put: `outcome.taps.map((tap, at, taps) => ${activation})`,
});
const projectOn = (direction: string): Edit => ({
  file: 'api/direction.js',
  find: 'directions.set(unit(direction.layers.get(layer)));',
  put: `directions.set(${direction});`,
});
const steerAlong = (direction: string): Edit => ({
  file: 'api/sweep-direction.js',
  find: 'push(unit(direction.layers.get(layer)));',
  put: `push(${direction});`,
});
const steerAfter = (layer: string): Edit => ({
  file: 'engine/batch.js',
  find: `const rows = steered.get(spec.layer) ?? { rows: [], alphas: [], vectors: [] };
            steered.set(spec.layer, rows);`,
  put: `const rows = steered.get(${layer}) ?? { rows: [], alphas: [], vectors: [] };
            steered.set(${layer}, rows);`,
});
const steerBy = (alpha: string): Edit => ({
  file: 'engine/batch.js',
  find: 'rows.alphas.push(spec.alpha);',
  put: `rows.alphas.push(${alpha});`,
});
/** The last two prompt tokens are evaluated each time, with outputs, so that there is a row before the last one. */
const TWO_ROWS: readonly Edit[] = [
  {
    file: 'engine/evaluate.js',
    find: 'stream.truncate(Math.min(shared, prompt.length - 1));',
    put: 'stream.truncate(Math.min(shared, prompt.length - 2));',
  },
  {
    file: 'engine/labels.js',
    find: 'const firstRow = Math.max(0, lastRow);',
    put: 'const firstRow = Math.max(0, lastRow - 1);',
  },
  {
    file: 'engine/evaluate.js',
    find: 'outputs: outputRows(row, 1, options.tile),',
    put: 'outputs: outputRows(row - 1, 2, options.tile),',
  },
];

test('without a fault everything passes', async () => {
  expect(await calibrateWith([])).toMatchObject({ code: 0, failed: [] });
});

catches({
  'tap: the block above': { edits: [otherBlock(1)], breaks: 'auroc.block2' },
  'tap: the block below': { edits: [otherBlock(-1)], breaks: 'auroc.block3' },
  'tap: the next lane': {
    edits: [
      'norm: tap.norms[',
      'projections: slice(tap.projections, ',
      'activation: slice(tap.activations, ',
    ].map(part => ({ file: 'engine/batch.js', find: `${part}i`, put: `${part}(i + 1) % read.length` })),
    breaks: 'oracle.ics',
  },
  'tap: a row that the last block does not keep': {
    edits: [
      {
        file: 'engine/batch.js',
        find: 'read.push({ row: base + chunk.tapRow - done, pending });',
        put: 'read.push({ row: Math.max(0, base + chunk.tapRow - done - 1), pending });',
      },
    ],
    breaks: 'TAP',
  },
  'tap: the token before the last one, in the audit': {
    edits: [
      ...TWO_ROWS,
      {
        file: 'engine/labels.js',
        find: 'tapRow: index === 0 && tapped ? lastRow : null,',
        put: 'tapRow: index === 0 && tapped ? lastRow - 1 : null,',
      },
    ],
    breaks: 'oracle.ics',
  },
  'tap: the token before the last one, in the fit': {
    edits: [...TWO_ROWS, { file: 'engine/evaluate.js', find: 'tapRow: row,', put: 'tapRow: row - 1,' }],
    breaks: 'fit.norm',
  },
  'logits: those of the token before the last one': {
    edits: [
      ...TWO_ROWS,
      {
        file: 'engine/labels.js',
        find: 'wants.push({ row: lastRow, token: other[0] });',
        put: 'wants.push({ row: lastRow - 1, token: other[0] });',
      },
    ],
    breaks: 'oracle.logits',
  },
  'logits: those of the next one asked for': {
    edits: [
      {
        file: 'engine/batch.js',
        find: 'pending.logit[index] = result.logit[i];',
        put: 'pending.logit[index] = result.logit[(i + 1) % wants.length];',
      },
    ],
    breaks: 'oracle.logits',
  },
  'fit: activations of the block above': {
    edits: [fitFrom('(taps[at + 1] ?? tap).activation')],
    breaks: 'anchor',
  },
  'fit: activations of the block below': {
    edits: [fitFrom('(taps[at - 1] ?? tap).activation')],
    breaks: 'auroc.block3',
  },
  'fit: means subtracted the other way round': {
    edits: [
      {
        file: 'direction/vector.js',
        find: 'Float32Array.from(difference, value => value / distance)',
        put: 'Float32Array.from(difference, value => -value / distance)',
      },
    ],
    breaks: 'auroc.block3',
  },
  'projection: on the direction of the block above': {
    edits: [projectOn('unit(direction.layers.get(layer + 1) ?? direction.layers.get(layer))')],
    breaks: 'oracle.ics',
  },
  'projection: on the direction of the block below': {
    edits: [projectOn('unit(direction.layers.get(layer - 1) ?? direction.layers.get(layer))')],
    breaks: 'oracle.ics',
  },
  'projection: sign turned': {
    edits: [projectOn('unit(direction.layers.get(layer)).map(value => -value)')],
    breaks: 'auroc.block3',
  },
  'projection: sign turned in the rows alone': {
    edits: [
      {
        file: 'api/direction.js',
        find: 'const ics = tap.projections[0];',
        put: 'const ics = -tap.projections[0];',
      },
    ],
    breaks: 'projections',
  },
  'projection: recorded for the block above': {
    edits: [
      {
        file: 'api/direction.js',
        find: 'outcome.taps.map(tap => ({ key, layer: tap.layer,',
        put: 'outcome.taps.map((tap, at, taps) => ({ key, layer: (taps[at + 1] ?? taps[0]).layer,',
      },
    ],
    breaks: 'projections',
  },
  'projection: random directions are the fitted one': {
    edits: [
      {
        file: 'api/direction.js',
        find: 'directions.set(controls, nEmbd);',
        put: 'for (let i = 1; i <= options.controls; i++) directions.copyWithin(i * nEmbd, 0, nEmbd);',
      },
    ],
    breaks: 'quotient.block3',
  },
  'steering: after the block above': { edits: [steerAfter('spec.layer + 1')], breaks: 'steer.margin' },
  'steering: after the block below': { edits: [steerAfter('spec.layer - 1')], breaks: 'steer.margin' },
  'steering: along the direction of the block above': {
    edits: [steerAlong('unit(direction.layers.get(layer + 1))')],
    breaks: 'steer.margin',
  },
  'steering: along the direction of the block below': {
    edits: [steerAlong('unit(direction.layers.get(layer - 1))')],
    breaks: 'steer.margin',
  },
  'steering: sign of the direction turned': {
    edits: [steerAlong('unit(direction.layers.get(layer)).map(value => -value)')],
    breaks: 'steer.up',
  },
  'steering: subtracted': {
    edits: [
      { file: 'audit/sweep-plan.js', find: 'factor: alpha * at.step,', put: 'factor: -alpha * at.step,' },
    ],
    breaks: 'steer.down',
  },
  'steering: the same for every alpha': { edits: [steerBy('1')], breaks: 'DECODE' },
  'steering: nothing is added': { edits: [steerBy('0')], breaks: 'steer.up' },
  'steering: twice as far': { edits: [steerBy('2 * spec.alpha')], breaks: 'steer.margin' },
  'steering: half as far': { edits: [steerBy('spec.alpha / 2')], breaks: 'steer.margin' },
  'steering: at every token': {
    edits: [
      {
        file: 'api/sweep-plan.js',
        find: 'steer: { layer, vector, alpha: factor, scope },',
        put: "steer: { layer, vector, alpha: factor, scope: 'all' },",
      },
    ],
    breaks: 'steer.margin',
  },
  'steering: at the token before the last one': {
    edits: [
      ...TWO_ROWS,
      {
        file: 'engine/labels.js',
        find: 'steer: steerOf(steer, index === 0 ? lastRow : null),',
        put: 'steer: steerOf(steer, index === 0 ? lastRow - 1 : null),',
      },
    ],
    breaks: 'steer.margin',
  },
  'steering: one direction for all rows of a batch': {
    edits: [
      { file: 'engine/batch.js', find: 'rows.vectors.push(spec.vector);', put: 'rows.vectors.push(0);' },
    ],
    breaks: 'steer.random',
  },
  'steering: random directions are the fitted one': {
    edits: [
      {
        file: 'api/sweep-direction.js',
        find: 'push(next());',
        put: 'push(unit(direction.layers.get(layer)));',
      },
    ],
    breaks: 'steer.random',
  },
});
