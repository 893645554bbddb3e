import type { Competence, Rate, ReaderSummary, Summary } from '../audit/analyze-types.js';
import { fraction, interval, NONE, pValue, share, whole } from './format.js';
import {
  type Cell,
  left,
  paint,
  printable,
  renderTable,
  right,
  type Style,
  type Tone,
  title,
  WIDTH,
  wrap,
} from './table.js';

/** The sentence for a judge below competence. */
const HABITS = 'this judge does not do the task: OCS describes its habits, not its rule use';

/** What was audited. */
export function heading(summary: Summary, style: Style): string {
  const { about, samples, compliantLabels, domains, profiles } = summary;
  const labels = `${whole(compliantLabels)} compliant, ${whole(samples - compliantLabels)} non-compliant`;
  const steered = summary.steeredRows > 0 ? `, ${whole(summary.steeredRows)} steered rows left aside` : '';
  const plural = domains.length === 1 ? 'domain' : 'domains';
  return [
    title(wrap(`Rule dependence of ${printable(about.subject)}`, WIDTH, ''), style),
    wrap(
      `corpus ${printable(about.corpus)}: ${whole(samples)} samples (${labels}) in ${domains.length} ${plural}`,
    ),
    wrap(`profile ${profiles.map(printable).join(', ')} · ${whole(summary.rows)} rows${steered}`),
    ...(about.run === null ? [] : [wrap(`run ${printable(about.run)}`)]),
  ].join('\n');
}

function placeboWords(
  { icsOnly, ics }: Summary,
  primary: ReaderSummary,
): { readonly words: string; readonly flips: number | null } {
  if (icsOnly && ics !== null && ics.placebo.pairs > 0) {
    const { moved, pairs } = ics.placebo;
    return { words: `the placebo moved ICS in ${whole(moved)} of ${whole(pairs)}`, flips: moved };
  }
  const placebo = primary.ocs.find(row => row.measure === 'placebo')?.pooled.all;
  if (!placebo || placebo.n === 0) return { words: 'no placebo pair was read', flips: null };
  return { words: `placebo flips ${whole(placebo.count)} of ${whole(placebo.n)}`, flips: placebo.count };
}

/** A sentence and what it means for the reader. */
export interface Words {
  readonly text: string;
  readonly tone: Tone;
}

export function exactnessSection(summary: Summary, primary: ReaderSummary, style: Style): string {
  const { text, tone } = exactnessWords(summary, primary);
  return paint(wrap(text, WIDTH, ''), tone, style);
}

/** Whether the run is exact, what the placebo showed, and what follows for single flips. */
export function exactnessWords(summary: Summary, primary: ReaderSummary): Words {
  const { exactness } = summary;
  const { words, flips } = placeboWords(summary, primary);
  const noise =
    flips === null ? 'the noise floor of this run is unknown' : 'that is the noise floor of this run';
  if (exactness === null) return { text: `Exactness not measured; ${words}: ${noise}.`, tone: 'warn' };
  if (exactness.kind === 'inexact') {
    const text =
      `Not exact (${printable(exactness.why)}): the batch alone moves margins by up to ${exactness.band.toPrecision(3)}; ` +
      `${words}. A pair with a margin inside that band on either side is fragile: rates stand with and without them.`;
    return { text, tone: 'warn' };
  }
  const shift = summary.marginShifts.find(row => row.condition === 'placebo')?.all;
  const marginsMoved = (shift !== undefined && (shift.mean ?? 0) !== 0) || (shift?.sd ?? 0) !== 0;
  const icsMoved = !summary.icsOnly && (summary.ics?.placebo.moved ?? 0) > 0;
  if ((flips ?? 0) > 0 || marginsMoved || icsMoved) {
    const also = `${marginsMoved ? ' and placebo margins moved' : ''}${icsMoved ? ' and placebo ICS moved' : ''}`;
    const text =
      `The run was proven exact, and yet ${words}${also}: the proof does not hold here. ` +
      'Do not trust this run; see `plumbline doctor`.';
    return { text, tone: 'bad' };
  }
  const proof =
    exactness.prompts > 0
      ? `${whole(exactness.floats)} numbers of ${whole(exactness.prompts)} prompts equal, bit for bit, one prompt per decode; `
      : '';
  const counts = summary.icsOnly
    ? 'shift below comes from the changed text.'
    : 'flip below comes from the changed text and counts in full, however small its margin.';
  const text = `Exact: ${proof}${words}. Nothing is fragile: no prompt's numbers depend on what else was in the batch, so every ${counts}`;
  return { text, tone: 'good' };
}

/** Whether the judge does the task, for both readers. */
export function competenceSection(summary: Summary, style: Style): string {
  const readers = [summary.readers.text.competence, summary.readers.logit.competence];
  const row = (name: string, of: (competence: Competence) => Cell): readonly Cell[] => [
    name,
    ...readers.map(of),
  ];
  const counted = (rate: Rate): string => (rate.n === 0 ? NONE : `${share(rate.rate)}  ${fraction(rate)}`);
  const table = renderTable(
    {
      columns: [left('baseline rows'), right('text reader'), right('logit reader')],
      rows: [
        row('accuracy', c => counted(c.accuracy)),
        row('  95 % interval', c => interval(c.accuracy)),
        row('  counting a null verdict as wrong', c => counted(c.accuracyNullsWrong)),
        row('chance: always the more frequent label', c => share(c.chance)),
        row('  p of so many right by chance', c => pValue(c.pAboveChance)),
        ...(summary.lexicalFloor === null && summary.floorMissing === null
          ? []
          : [row('lexical floor, which never sees the rule', () => share(summary.lexicalFloor))]),
        row('says compliant', c => counted(c.saysCompliant)),
        row('  label is compliant on the same rows', c => share(c.labelCompliant)),
        row('null verdicts', c => counted(c.nullRate)),
        row('AUROC of the margin, 95 % interval', c => `${share(c.auroc.value)}  ${interval(c.auroc)}`),
        row('label mass, mean', c => share(c.labelMass.mean)),
      ],
    },
    style,
  );
  const verdicts = (['text', 'logit'] as const).map(reader => {
    const { text, tone } = competenceWords(summary.readers[reader].competence);
    return paint(wrap(`${reader}: ${text}`), tone, style);
  });
  const missing =
    summary.floorMissing === null
      ? []
      : [paint(wrap(`No lexical floor: ${printable(summary.floorMissing)}.`), 'warn', style)];
  return [title('Does the judge do the task?', style), table, ...missing, ...verdicts].join('\n');
}

/** Whether a judge does the task, in a sentence that begins small. */
export function competenceWords(competence: Competence): Words {
  const { accuracy, chance, doesTask, auroc } = competence;
  if (doesTask === null) {
    const few =
      accuracy.n === 0
        ? 'there is no baseline verdict, so nothing can be said about the task.'
        : accuracy.high !== null && accuracy.high < 1
          ? `${whole(accuracy.n)} baseline verdicts cannot tell whether the judge does the task: the interval of its accuracy, ${interval(accuracy)}, holds ` +
            `chance (${share(chance)}) as well as 10 points above it. Draw more samples.`
          : `${whole(accuracy.n)} baseline verdicts cannot tell whether the judge does the task: they are too few or of one label ` +
            `only, and even if all were right, chance (${share(chance)}) would not be ruled out.`;
    return { text: few, tone: 'warn' };
  }
  const bound = `the lower bound of its accuracy, ${share(accuracy.low)}, is`;
  if (doesTask)
    return { text: `the judge does better than chance: ${bound} above ${share(chance)}.`, tone: 'good' };
  const ranks =
    auroc.low !== null && auroc.low > 0.5
      ? ' Its margin does rank the labels, so its threshold is off: read the margin shifts.'
      : auroc.high !== null && auroc.high < 0.5
        ? ' Its margin even runs against the labels.'
        : '';
  const text = `${HABITS} (${bound} not above chance, ${share(chance)}; the upper one is ${share(accuracy.high)}).${ranks}`;
  return { text, tone: 'bad' };
}
