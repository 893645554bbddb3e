import type { AcrossRun, AcrossSummary, OverRuns } from '../../audit/across-types.js';
import type { Rate } from '../../audit/analyze-types.js';
import { acrossNoteText } from '../across-notes.js';
import { CONDITION_SERIES, measureSeries } from '../figures/series.js';
import { interval, NONE, percent, pValue, share, signed, whole } from '../format.js';
import { type Cell, left, right, type Table } from '../table.js';
import { callout, limit, prose, tableBlock } from './blocks.js';
import { type Html, html } from './html.js';
import { type Part, words } from './part.js';

/** Tables with a row for each run, what must be known before rows are compared, and what the runs share. */
export function acrossSection(across: AcrossSummary): Part {
  const { runs, notes, overlaps, common, overRuns } = across;
  const judged = runs.filter(({ verdicts }) => verdicts);
  const source = `From: npx plumbline analyze ${runs.map(({ run }) => run).join(' ')} --reader ${across.reader} --json. Made of the rows of each run's readings.arrows.`;
  const tables =
    judged.length === 0
      ? null
      : html`${tableBlock(competenceTable(judged))}${tableBlock(ocsTable(judged))}${tableBlock(accuracyTable(judged), source)}`;
  const shared =
    common === null || common.samples === 0
      ? null
      : html`<h4>${`On the ${whole(common.samples)} samples that all runs have`}</h4>${tableBlock(ocsTable(common.runs))}${tableBlock(accuracyTable(common.runs), source)}`;
  return words(
    html`<section id="runs"><h2>The runs side by side</h2>${tableBlock(runsTable(runs))}${notes.map(note =>
      callout({
        text: acrossNoteText(note, across),
        tone: note.kind === 'rule-blind' || note.kind === 'same-plan-and-subject' ? 'plain' : 'warn',
      }),
    )}${tables}${shared}${overlapBlock(overlaps, source)}<p>${prose(overRunsWords(overRuns))}</p></section>`,
  );
}

function runsTable(runs: readonly AcrossRun[]): Table {
  return {
    columns: [left('run'), left('judge'), left('prompt'), ...['samples', 'domains', 'exact'].map(right)],
    rows: runs.map(({ run, subject, profiles, samples, domains, exactness }) => [
      run,
      subject,
      profiles.join(', '),
      whole(samples),
      whole(domains.length),
      exactness === null ? 'not measured' : exactness === 'exact' ? 'yes' : 'no',
    ]),
  };
}

function competenceTable(runs: readonly AcrossRun[]): Table {
  return {
    columns: [
      left('does it do the task?'),
      ...['right', '95 % interval', 'always the same answer', 'floor', 'missing verdicts', 'does it?'].map(
        right,
      ),
    ],
    rows: runs.flatMap(({ run, competence, lexicalFloor }): readonly (readonly Cell[])[] =>
      competence === null
        ? []
        : [
            [
              run,
              percent(competence.accuracy.rate),
              interval(competence.accuracy),
              percent(competence.chance),
              percent(lexicalFloor),
              percent(competence.nullRate.rate),
              doesTask(competence.doesTask),
            ],
          ],
    ),
  };
}

function doesTask(value: boolean | null): Cell {
  if (value === null) return 'cannot be told';
  return { text: value ? 'yes' : 'no', tone: 'bold' };
}

function rateCell(rate: Rate | null): Cell {
  return rate === null || rate.n === 0 ? NONE : `${percent(rate.rate)} ${interval(rate, 2)}`;
}

function ocsTable(runs: readonly AcrossRun[]): Table {
  const measures = runs.find(({ ocs }) => ocs.length > 0)?.ocs.map(({ measure }) => measure) ?? [];
  return {
    columns: [left('verdicts that changed'), ...measures.map(measure => right(measureSeries(measure).name))],
    rows: runs.map(({ run, ocs }) => [
      run,
      ...measures.map(measure => rateCell(ocs.find(row => row.measure === measure)?.pooled?.all ?? null)),
    ]),
  };
}

function accuracyTable(runs: readonly AcrossRun[]): Table {
  const conditions = [...new Set(runs.flatMap(({ accuracy }) => accuracy.map(row => row.condition)))];
  return {
    columns: [left('right verdicts'), ...conditions.map(name => right(CONDITION_SERIES[name].name))],
    rows: runs.map(({ run, accuracy }) => [
      run,
      ...conditions.map(name => rateCell(accuracy.find(row => row.condition === name)?.all ?? null)),
    ]),
  };
}

function overlapBlock(overlaps: AcrossSummary['overlaps'], source: string): Html | null {
  const rows = overlaps.flatMap(({ a, b, subsets }) =>
    subsets.map(of => [
      `${a} · ${b}`,
      of.subset,
      whole(of.compared),
      whole(of.inA),
      whole(of.inB),
      whole(of.both),
      of.expectedBoth === null ? NONE : of.expectedBoth.toFixed(1),
      share(of.jaccard),
    ]),
  );
  if (rows.length === 0) return null;
  const table = {
    columns: [
      left('first · second'),
      left('subset'),
      ...['compared', 'in first', 'in second', 'in both', 'by chance', 'Jaccard'].map(right),
    ],
    rows,
  };
  return html`<h4>Are they the same samples?</h4>${tableBlock(table, source)}${limit('Subsets are made from the verdicts themselves: that two judges share samples beyond chance says that the samples have something in common, not that either judge reads the rule.')}`;
}

function overRunsWords({ points, subjects, ranks }: OverRuns): string {
  if (points.length < 2 || ranks.rho === null) return '';
  const found = `Over ${whole(points.length)} runs the rank correlation of OCS with accuracy is ${signed(ranks.rho)}`;
  if (subjects < points.length) return `${found}; runs of one judge are no further evidence, so it has no p.`;
  if (ranks.p === null) return `${found}; two points are always in some order.`;
  const least =
    ranks.smallestP === null ? '' : ` So few points could not give less than ${pValue(ranks.smallestP)}.`;
  return `${found}, p ${pValue(ranks.p)}.${least}`;
}
