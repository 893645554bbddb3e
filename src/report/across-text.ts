import type { AcrossSummary, OverRuns, PairOverlap, SubsetOverRuns } from '../audit/across-types.js';
import { chanceTable, groupsTable, necessityTable } from './across-chance.js';
import { acrossNoteText } from './across-notes.js';
import {
  ACROSS_WIDTH,
  accuracyTable,
  acrossTable,
  acrossWords,
  competenceTable,
  domainRanksTable,
  icsTable,
  ocsTable,
  runsTable,
} from './across-tables.js';
import { counted } from './facts.js';
import { NONE, pValue, share, signed, whole } from './format.js';
import { type Cell, paint, printable, type Style, title, wrap } from './table.js';

/**
 * What `analyze` prints of several runs: a row for each run in every table, what they share, and the figures on their
 * common samples. At most {@link ACROSS_WIDTH} columns.
 */
export function acrossText(across: AcrossSummary, style: Style): string {
  const { runs, reader, notes, overlaps, common } = across;
  const section = (name: string, ...parts: readonly string[]): string =>
    [title(name, style), ...parts.filter(part => part !== '')].join('\n');
  const judged = runs.filter(({ verdicts }) => verdicts);
  const necessity = necessityTable(judged, style);
  const verdictSections =
    judged.length === 0
      ? []
      : [
          section('Does the judge do the task?', competenceTable(judged, style), acrossWords(COMPETENCE)),
          section('Does the verdict depend on the rule?', ocsTable(judged, style), acrossWords(OCS)),
          section('Accuracy against the label', accuracyTable(judged, style), acrossWords(ACCURACY)),
          section('Could it be chance?', chanceTable(judged, style), acrossWords(CHANCE)),
          section('Subsets of samples', groupsTable(judged, style), acrossWords(SUBSETS)),
          ...(necessity === ''
            ? []
            : [section('Where the rule was needed', necessity, acrossWords(NECESSITY))]),
        ];
  const ics = icsTable(runs, style);
  const ranks = domainRanksTable(runs, style);
  const sections = [
    section(
      `Rule dependence in ${counted(runs.length, 'run')} (${reader} reader)`,
      ...corpusWords(across),
      runsTable(runs, style),
      ...notes.map(note => paint(acrossWords(acrossNoteText(note, across)), toneOf(note.kind), style)),
    ),
    ...verdictSections,
    ...(overlaps.some(({ subsets }) => subsets.length > 0)
      ? [section('Are they the same samples?', overlapTable(overlaps, style), ...overlapWords(across))]
      : []),
    ...(ics === ''
      ? []
      : [section('Does the residual stream move along the direction?', ics, acrossWords(ICS))]),
    ...(ranks === '' && across.overRuns.points.length === 0
      ? []
      : [
          section(
            'What goes with OCS?',
            ranks,
            acrossWords(RANKS),
            overRunsWords(across.overRuns, common === null),
          ),
        ]),
    ...(common === null || common.samples === 0
      ? []
      : [
          section(
            `On the ${counted(common.samples, 'sample')} that all runs have`,
            `${ocsTable(common.runs, style)}\n`,
            accuracyTable(common.runs, style),
            overRunsWords(common.overRuns, true),
          ),
        ]),
  ];
  return `${sections.join('\n\n')}\n`;
}

const COMPETENCE =
  'Baseline rows. Chance: always the more frequent label. Floor: naive Bayes on the words of the scenario; it never sees ' +
  'the rule. says/label: share of compliant verdicts and of compliant labels. Does it: the interval of the accuracy lies ' +
  "above chance. Where it does not, OCS describes the judge's habits, not its rule use.";
const OCS =
  'Share of verdicts that change. Placebo: the unchanged prompt again, so the noise of the instrument. Aggregate: mean ' +
  'over samples of OCS per sample. Intervals: 95 %.';
const ACCURACY =
  'The label is that of the unaltered case. p of change: exact McNemar over the samples with a verdict both at ' +
  'baseline and under the condition.';
const CHANCE =
  'All altering conditions together. p, q: compliant rates at baseline and under change; null: p(1−q)+q(1−p). Re-paired, p ' +
  'fewer, p more: re-pairings within each domain and condition. A cell is degenerate when one side holds a single verdict ' +
  'only: no re-pairing can move it. Few flips show that verdicts are stable per sample, not that they are right.';
const SUBSETS =
  'Rule-necessary: right with the rule, wrong without; reverse: the other way round, which is what chance gives. LOW: no ' +
  'flip under any applicable condition; HIGH: at least two; open: a missing verdict leaves it undecided.';
const NECESSITY =
  'Flips of the rule-necessary samples; delete is left out, since it chose them. Of the reverse: the same over the samples ' +
  'that are wrong with the rule and right without. They were selected alike, so only what goes beyond them speaks for the ' +
  'rule. p × tests: re-pairing within each domain of the subset, the smaller of both tails, Bonferroni.';
const OVERLAP =
  'Compared: samples that both runs have and that are decided in both. By chance: how many would be in both if the two ' +
  'had nothing to do with each other. Jaccard: in both over in either.';
const ICS =
  'Mean |ICS-delta| over mean baseline |ICS|: the published ratio. All: every altering row counts once. Random directions: ' +
  'the same along those, each over its own mean. Ratios of judges with other directions have no common scale.';
const RANKS =
  'Within each run, over its domains: rank correlation (Spearman) of OCS-agg with baseline accuracy, and with mean ' +
  'ICS-delta where there is a direction. A dash: too few domains, or all alike. p: exact up to eight points, else t.';

/** What keeps rows from being compared at all is louder than what a careful reader would see. */
function toneOf(kind: AcrossSummary['notes'][number]['kind']): 'warn' | 'dim' {
  return kind === 'rule-blind' || kind === 'same-plan-and-subject' ? 'dim' : 'warn';
}

/** Empty when the corpora differ: a note tells then which is which. */
function corpusWords({ runs }: AcrossSummary): readonly string[] {
  const [only, ...more] = new Set(runs.map(({ corpus }) => corpus));
  return only === undefined || more.length > 0 ? [] : [wrap(`corpus ${printable(only)}`, ACROSS_WIDTH)];
}

/** A line for each pair, its subsets below it. */
function overlapTable(overlaps: readonly PairOverlap[], style: Style): string {
  const rows = overlaps.flatMap(({ a, b, samplesBoth, subsets }): readonly (readonly Cell[])[] => [
    [{ text: `${printable(a)} · ${printable(b)}`, tone: 'bold' }, whole(samplesBoth)],
    ...(samplesBoth === 0 ? [] : subsets).map(of => [
      `  ${of.subset}`,
      '',
      whole(of.compared),
      whole(of.inA),
      whole(of.inB),
      whole(of.both),
      of.expectedBoth === null ? NONE : of.expectedBoth.toFixed(1),
      share(of.jaccard),
    ]),
  ]);
  const columns = ['shared', 'compared', 'in first', 'in second', 'in both', 'by chance', 'Jaccard'];
  return acrossTable(columns, rows, style, 'first · second');
}

function overlapWords({ overlaps, subsets }: AcrossSummary): readonly string[] {
  const apart = overlaps
    .filter(({ conflicting }) => conflicting > 0)
    .map(({ a, b, conflicting }) => `${printable(a)} · ${printable(b)}: ${whole(conflicting)}`);
  return [
    acrossWords(OVERLAP),
    ...subsets.filter(({ runs }) => runs > 2).map(of => acrossWords(subsetWords(of))),
    ...(apart.length === 0
      ? []
      : [acrossWords(`Samples of one id that are not the same, left out: ${apart.join('; ')}.`)]),
  ];
}

function subsetWords({ subset, runs, compared, inRuns }: SubsetOverRuns): string {
  if (compared === 0) return `${subset}: no sample is decided in all ${whole(runs)} runs.`;
  const told = inRuns
    .map((count, k) => ({ count, k }))
    .reverse()
    .map(({ count, k }) => `${whole(count)} in ${k === runs ? 'all' : k === 0 ? 'none' : whole(k)}`);
  return `${subset}: of ${counted(compared, 'sample')} decided in all ${whole(runs)} runs, ${told.join(', ')}.`;
}

function overRunsWords({ points, subjects, ranks }: OverRuns, sameSamples: boolean): string {
  if (points.length < 2) return '';
  const which = sameSamples ? '' : ' over different samples';
  const opening = `Over runs, OCS-agg with baseline accuracy: ${whole(points.length)} points${which}`;
  if (ranks.rho === null) return acrossWords(`${opening}, of which one side does not vary: no correlation.`);
  const found = `${opening}, rho ${signed(ranks.rho)}`;
  if (subjects < points.length) {
    return acrossWords(
      `${found}, no p: they are of ${counted(subjects, 'judge')} only, and runs of one judge are no further evidence.`,
    );
  }
  if (ranks.p === null) return acrossWords(`${found}, no p: two points are always in some order.`);
  const smallest =
    ranks.smallestP === null
      ? ''
      : ` So few points could not give less than ${pValue(ranks.smallestP)} in any order.`;
  return acrossWords(`${found}, p ${pValue(ranks.p)}.${smallest}`);
}
