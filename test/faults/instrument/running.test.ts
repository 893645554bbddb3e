import { catches, type Edit } from './mutant.js';

// Faults in how evaluations are run together, and in the figures that are made of them.

/** After a decode each lane has the results of the lane at `from`, where both asked for the same. */
const mixed = (from: string, when = 'true'): Edit => ({
  file: 'engine/executor.js',
  find: 'batch.deliver(await binding.decode(context, batch.request));',
  put: `batch.deliver(await binding.decode(context, batch.request));
        const own = chosen.map(({ lane }) => ({ ...lane.pending }));
        for (const [i, { lane }] of chosen.entries()) {
            if (!(${when})) continue;
            const other = own[${from}];
            if (['logit', 'taps'].some(name => other[name].length !== lane.pending[name].length)) continue;
            for (const name of ['logit', 'logSumExp', 'argMax', 'taps', 'row']) lane.pending[name] = other[name];
        }`,
});
const mean = (find: string, put: string): Edit => ({ file: 'audit/ics-projections.js', find, put });

catches({
  // The sweep finds these first: alpha 0 is no more the unsteered evaluation.
  'batch: two lanes exchanged': {
    edits: [mixed('i ^ 1', 'i < 2 && chosen.length > 1')],
    breaks: ['DECODE', 'placebo.moved'],
  },
  'batch: lanes rotated': { edits: [mixed('(i + 1) % chosen.length')], breaks: ['DECODE', 'placebo.moved'] },
  'batch: the last lane of a full one has what the lane before has': {
    edits: [mixed('Math.max(0, i - 1)', 'i === lanes.length - 1')],
    breaks: ['placebo.flips', 'placebo.moved'],
  },
  'batch: outcomes that travel together have numbers of each other': {
    edits: [
      {
        file: 'engine/host.js',
        find: "send({ type: 'outcomes', outcomes: ready });",
        put: "send({ type: 'outcomes', outcomes: ready.map((one, i) => ({ ...one, id: ready.at(-1 - i).id })) });",
      },
    ],
    breaks: ['DECODE', 'placebo.moved'],
  },
  'batch: positions one too high': {
    edits: [
      {
        file: 'engine/batch.js',
        find: 'positions[base + i] = start + i;',
        put: 'positions[base + i] = start + i + (start > 0 ? 1 : 0);',
      },
    ],
    breaks: 'DECODE',
  },
  'parked prefix: that of the place before is restored': {
    edits: [
      {
        file: 'engine/streams.js',
        find: 'binding.memoryCopy(context, from, to);',
        put: `const near = from - 1;
        const fits = near >= options.lanes && resident[near].length >= resident[from].length;
        binding.memoryCopy(context, fits ? near : from, to);
        if (fits) binding.memoryRemoveTail(context, to, resident[from].length);`,
      },
    ],
    breaks: 'exact',
  },
  'placebo: answered from the tree': {
    edits: [{ file: 'api/judge.js', find: "isolated: row.condition === 'placebo'", put: 'isolated: false' }],
    breaks: 'placebo.together',
  },
  'AUROC: turned round': {
    edits: [
      {
        file: 'stats/auroc.js',
        find: 'wins / (positives * negativesBelow)',
        put: '1 - wins / (positives * negativesBelow)',
      },
    ],
    breaks: 'auroc.block3',
  },
  'ICS-delta: signed': {
    edits: [mean('delta: Math.abs(before.ics - after.ics),', 'delta: before.ics - after.ics,')],
    breaks: 'delta.block3',
  },
  'ICS-delta along random directions: signed': {
    edits: [mean('Math.abs(value - (after.controls[i] ?? Number.NaN))', '(value - after.controls[i])')],
    breaks: 'USAGE',
  },
  'margin shift: baseline minus condition': {
    edits: [{ file: 'audit/ocs.js', find: 'to - from', put: 'from - to' }],
    breaks: 'margin.delete',
  },
  'OCS: counts what stays': {
    edits: [
      {
        file: 'audit/analyze-reader.js',
        find: 'pair.before !== pair.after',
        put: 'pair.before === pair.after',
      },
    ],
    breaks: 'ocs.negate',
  },
  'OCS: against deletion in place of the baseline': {
    edits: [
      {
        file: 'audit/analyze-samples.js',
        find: 'const before = baseline ? verdictOf(baseline, reader) : null;',
        put: "const before = baseline ? verdictOf(sample.rows.get('delete'), reader) : null;",
      },
    ],
    breaks: 'ocs.delete',
  },
  'accuracy: of the altered rows': {
    edits: [
      {
        file: 'audit/analyze-reader.js',
        find: "const judged = judgedUnder(samples, 'baseline', reader);",
        put: "const judged = judgedUnder(samples, 'negate', reader);",
      },
    ],
    breaks: 'accuracy.crossed',
  },
});
