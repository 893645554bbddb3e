import type { Competence, OcsRow, Rate } from '../../audit/analyze-types.js';
import { exactnessWords } from '../analysis-opening.js';
import { accuracyDomainsFigure, ocsDomainsFigure } from '../figures/domains.js';
import { CONDITION_SERIES, measureSeries } from '../figures/series.js';
import { fraction, interval, NONE, percent, pValue, share, whole } from '../format.js';
import { type Cell, left, right } from '../table.js';
import { callout, limit, tableBlock } from './blocks.js';
import { html } from './html.js';
import { figurePart, type Part, type Place, rowsOf, section, traced, words } from './part.js';

/** Competence of both readers, and whether the run is exact. */
export function taskSection(place: Place): Part {
  const { summary } = place.audit;
  const readers = [summary.readers.text.competence, summary.readers.logit.competence];
  const row = (name: string, of: (competence: Competence) => Cell): readonly Cell[] => [
    name,
    ...readers.map(of),
  ];
  const table = {
    columns: [left('unaltered prompts'), right('text reader'), right('logit reader')],
    rows: [
      row('right verdicts', c => counted(c.accuracy)),
      row('95 % interval', c => interval(c.accuracy)),
      row('right, a missing verdict counting as wrong', c => counted(c.accuracyNullsWrong)),
      row('right by always the same answer', c => share(c.chance)),
      row('p of so many right by chance', c => pValue(c.pAboveChance)),
      row('floor that never sees the rule', () => share(summary.lexicalFloor)),
      row('says compliant', c => counted(c.saysCompliant)),
      row('label is compliant on the same rows', c => share(c.labelCompliant)),
      row('missing verdicts', c => counted(c.nullRate)),
      row('AUROC of the margin', c => `${share(c.auroc.value)} ${interval(c.auroc)}`),
      row('probability of the labels, mean', c => share(c.labelMass.mean)),
    ],
  };
  const source = traced(
    place,
    'readers.text.competence, readers.logit.competence and lexicalFloor',
    rowsOf(place, readers[0]?.accuracy.n ?? 0, 'baseline rows with a text verdict'),
  );
  const { text, tone } = exactnessWords(summary, summary.readers[summary.primary]);
  return section(place, 'task', 'Does the judge do the task?', [
    words(html`${tableBlock(table, source)}${callout({ text, tone: tone === 'good' ? 'plain' : tone })}`),
  ]);
}

/** Flips under each change, against the placebo and against unrelated verdicts; then domain by domain. */
export function ocsSection(place: Place): Part {
  const { summary } = place.audit;
  const reader = summary.readers[summary.primary];
  if (reader.ocs.length === 0) return words(html``);
  const solid = summary.exactness?.kind === 'inexact';
  const table = {
    columns: [
      left('what was done'),
      right('changed/pairs'),
      right('share'),
      right('95 % interval'),
      right('if unrelated'),
      right('prompt unchanged'),
      right('share without these'),
      ...(solid ? [right('share without fragile')] : []),
    ],
    rows: reader.ocs.map(row => [
      measureSeries(row.measure).name,
      row.measure === 'agg' ? `n ${whole(row.pooled.all.n)}` : fraction(row.pooled.all),
      percent(row.pooled.all.rate),
      interval(row.pooled.all),
      percent(independentOf(place, row)),
      row.measure === 'placebo' ? NONE : whole(row.pooled.invisiblePairs),
      row.measure === 'placebo' ? NONE : percent(row.pooled.visible.rate),
      ...(solid ? [percent(row.pooled.solid?.rate ?? null)] : []),
    ]),
  };
  const pairs = reader.ocs.reduce(
    (sum, { measure, pooled }) => sum + (measure === 'agg' ? 0 : pooled.all.n),
    0,
  );
  const rows = rowsOf(place, pairs, 'rows with a verdict here and at baseline');
  const source = traced(place, `readers.${reader.reader}.ocs and .independence`, rows);
  return section(place, 'ocs', 'Does the verdict depend on the rule?', [
    words(
      html`${tableBlock(table, source)}${limit('A verdict that changes depends on the rule; whether it changes in the right way, accuracy shows. Few changes can mean a judge that ignores the rule, or one that always says the same. "If unrelated": what two verdicts that have nothing to do with each other would give at these rates of compliant. "Prompt unchanged": the altered words lie behind the cut of the prompt.')}`,
    ),
    figurePart(ocsDomainsFigure(`${place.prefix}ocs-domains`, summary, source)),
  ]);
}

function independentOf({ audit: { summary } }: Place, { measure }: OcsRow): number | null {
  const condition = measure === 'agg' ? 'pooled' : measure;
  return (
    summary.readers[summary.primary].independence.find(row => row.condition === condition)?.expected ?? null
  );
}

/** Accuracy under each condition, and with and without the rule in each domain beside the floor. */
export function accuracySection(place: Place): Part {
  const { summary } = place.audit;
  const reader = summary.readers[summary.primary];
  const table = {
    columns: [
      left('what was done'),
      ...['right/verdicts', 'share', '95 % interval', 'before → here', 'gained', 'lost', 'McNemar p'].map(
        right,
      ),
    ],
    rows: reader.accuracy.map(({ condition, all, paired }) => [
      CONDITION_SERIES[condition].name,
      fraction(all),
      percent(all.rate),
      interval(all),
      ...(paired === null
        ? [NONE, NONE, NONE, NONE]
        : [
            paired.n === 0
              ? NONE
              : `${percent(paired.baselineRight / paired.n)} → ${percent(paired.right / paired.n)}`,
            whole(paired.gained),
            whole(paired.lost),
            pValue(paired.p),
          ]),
    ]),
  };
  const verdicts = reader.accuracy.reduce((sum, { all }) => sum + all.n, 0);
  const source = traced(
    place,
    `readers.${reader.reader}.accuracy and domains[].lexicalFloor`,
    rowsOf(place, verdicts, 'rows with a verdict'),
  );
  return section(place, 'accuracy', 'Is the rule needed to be right?', [
    words(
      html`${tableBlock(table, source)}${limit('Labels are those of the unaltered case. Where deletion leaves accuracy as it was, the rule was not needed. Where a rule is swapped or negated the true answer often changes, so that a judge that reads it should lose accuracy here. The floor, naive Bayes on the words of the scenario alone, moves by some hundredths with what it learns from: its third decimal says nothing.')}`,
    ),
    figurePart(accuracyDomainsFigure(`${place.prefix}accuracy-domains`, summary, source)),
  ]);
}

function counted(rate: Rate): string {
  return rate.n === 0 ? NONE : `${share(rate.rate)} (${fraction(rate)})`;
}
