import type { Rate, ReaderSummary, Summary } from '../../audit/analyze-types.js';
import { competenceWords } from '../analysis-opening.js';
import { answerFigure } from '../figures/answer.js';
import { icsFigure } from '../figures/ics.js';
import { type Judge, judgesFigure } from '../figures/judges.js';
import { percent, whole } from '../format.js';
import { gapsText } from '../gaps.js';
import { callout, prose, type Told } from './blocks.js';
import type { AuditData } from './data.js';
import { type Html, html } from './html.js';
import { figurePart, joined, type Part, type Place, rowsOf, traced, words } from './part.js';

/** Whether the judge does the task, then the answer in words, then one picture. */
export function lead(place: Place): Part {
  const { summary } = place.audit;
  if (summary.icsOnly) return streamLead(place);
  return joined([
    ...gaps(place.audit),
    words(html`${callout(taskWords(place.audit))}<p class="answer">${prose(answerWords(place.audit))}</p>`),
    figurePart(answerFigure(`${place.prefix}answer`, summary, answerSource(place))),
  ]);
}

/** What stands first when rows are missing or failed. */
function gaps({ summary: { coverage } }: AuditData): readonly Part[] {
  const text = gapsText(coverage, 'This run is not complete');
  return text === null ? [] : [words(callout({ text, tone: 'warn' }))];
}

/** Competence in a sentence. */
export function taskWords({ summary, origin }: AuditData): Told {
  const { competence } = summary.readers[summary.primary];
  const { subject } = summary.about;
  if (origin.ruleBlind)
    return {
      tone: 'plain',
      text:
        `${subject} never sees the rule: it is a floor, not a judge. It is right in ${percent(competence.accuracy.rate)}; ` +
        'so much the wording of the scenarios gives away.',
    };
  const { tone, text } = competenceWords(competence);
  return { tone, text: `${subject}: ${text}` };
}

/** What deletion changed, the noise floor, and accuracy with and without the rule beside the floor that never sees it. */
export function answerWords({ summary }: AuditData): string {
  const reader = summary.readers[summary.primary];
  return [deletionWords(reader), noiseWords(reader), accuracyWords(reader), floorWords(summary)]
    .filter(sentence => sentence !== '')
    .join(' ');
}

function rateOf(reader: ReaderSummary, measure: 'placebo' | 'delete' | 'agg'): Rate | null {
  const rate = reader.ocs.find(row => row.measure === measure)?.pooled.all ?? null;
  return rate === null || rate.n === 0 ? null : rate;
}

function deletionWords(reader: ReaderSummary): string {
  const deletion = rateOf(reader, 'delete');
  if (deletion !== null) return `Deleting the rule changed ${percent(deletion.rate)} of verdicts.`;
  const aggregate = rateOf(reader, 'agg');
  return aggregate === null
    ? 'The rule was not changed in this run.'
    : `Changing the rule changed ${percent(aggregate.rate)} of verdicts.`;
}

function noiseWords(reader: ReaderSummary): string {
  const placebo = rateOf(reader, 'placebo');
  return placebo === null
    ? 'The noise floor was not measured.'
    : `The noise floor is ${percent(placebo.rate)} (${whole(placebo.count)} of ${whole(placebo.n)} unchanged prompts).`;
}

function accuracyWords({ accuracy }: ReaderSummary): string {
  const rate = (condition: 'baseline' | 'delete'): number | null =>
    accuracy.find(row => row.condition === condition)?.all.rate ?? null;
  const [before, after] = [rate('baseline'), rate('delete')];
  if (before === null) return '';
  return after === null
    ? `${percent(before)} of verdicts are right.`
    : `${percent(before)} of verdicts are right with the rule, ${percent(after)} without it.`;
}

function floorWords({ lexicalFloor }: Summary): string {
  return lexicalFloor === null
    ? ''
    : `Naive Bayes on the words of the scenarios, which never sees a rule, is right in ${percent(lexicalFloor)}.`;
}

function answerSource(place: Place): string {
  const reader = place.audit.summary.readers[place.audit.summary.primary];
  const verdicts = reader.counts.reduce((sum, row) => sum + row.verdicts, 0);
  return traced(
    place,
    `readers.${reader.reader}.accuracy, .ocs, .competence.chance and .independence, and lexicalFloor`,
    rowsOf(place, verdicts, 'rows with a verdict'),
  );
}

function streamLead(place: Place): Part {
  const { summary, name } = place.audit;
  const { ics } = summary;
  const text =
    `No verdicts were read of ${summary.about.subject} in this run, only its residual stream. Whether it does the task is not ` +
    'known from here.';
  const opening = words(html`${callout({ text, tone: 'warn' })}`);
  const gap = gaps(place.audit);
  if (ics === null) return joined([...gap, opening]);
  const moved = ics.conditions.find(({ condition }) => condition === 'delete')?.all;
  const answer =
    moved === undefined
      ? ''
      : `Deleting the rule moved the stream by ${percent(moved.ratio)} of its mean projection on the direction, and by ${percent(moved.controlRatio)} along random directions.`;
  const source = traced(place, 'ics.conditions', rowsOf(place, summary.rows, 'rows'));
  return joined([
    ...gap,
    opening,
    words(html`<p class="answer">${prose(answer)}</p>`),
    figurePart(
      icsFigure({ name: `${place.prefix}stream`, subject: summary.about.subject || name, source }, ics),
    ),
  ]);
}

/** The first screen of several judges: accuracy beside rule dependence. */
export function sideBySide(places: readonly Place[]): { readonly title: string; readonly part: Part } {
  const judged = places.filter(({ audit }) => !audit.summary.icsOnly);
  const subjects = judged.map(({ audit }) => audit.summary.about.subject);
  const distinct = new Set(subjects).size === subjects.length;
  const judges = judged.map(({ audit: { name, summary } }): Judge => {
    const reader = summary.readers[summary.primary];
    return {
      label: distinct ? summary.about.subject : name,
      accuracy: reader.competence.accuracy,
      ocs: reader.ocs.find(({ measure }) => measure === 'agg')?.pooled.all ?? NO_RATE,
      lexicalFloor: summary.lexicalFloor,
    };
  });
  const failing = judged.filter(({ audit }) => {
    const { competence } = audit.summary.readers[audit.summary.primary];
    return competence.doesTask === false && !audit.origin.ruleBlind;
  });
  const warnings = failing.map(place => words(callout(taskWords(place.audit))));
  const reader = judged[0]?.audit.summary.primary ?? 'text';
  const source =
    `From: npx plumbline analyze RUN --reader ${reader} --json for each of ${judged.map(({ audit }) => audit.name).join(', ')}, at ` +
    `readers.${reader}.competence.accuracy, readers.${reader}.ocs (agg) and lexicalFloor. Made of the rows with a verdict of each RUN/readings.arrows.`;
  const part = joined([
    ...places.flatMap(({ audit }) => gapsNamed(audit)),
    ...warnings,
    words(spread(judges)),
    figurePart(judgesFigure('judges', judges, source)),
  ]);
  return { title: titleOf(judges), part };
}

const NO_RATE: Rate = { count: 0, n: 0, rate: null, low: null, high: null };

function gapsNamed(audit: AuditData): readonly Part[] {
  const { missingRows, errorRows } = audit.summary.coverage;
  if (missingRows + errorRows === 0) return [];
  const lack = missingRows > 0 ? 'is not complete' : 'has rows that hold an error';
  const text = `${audit.name} ${lack}: see its own part below.`;
  return [words(callout({ text, tone: 'warn' }))];
}

/** All intervals of accuracy share a value, and some intervals of OCS do not. */
function titleOf(judges: readonly Judge[]): string {
  const alike = overlap(judges.map(({ accuracy }) => accuracy));
  const apart = !overlap(judges.map(({ ocs }) => ocs));
  if (judges.length > 1 && alike && apart) return 'Equal accuracy, different truths';
  return 'Right, and for which reason?';
}

function overlap(rates: readonly Rate[]): boolean {
  const low = Math.max(...rates.map(rate => rate.low ?? 0));
  const high = Math.min(...rates.map(rate => rate.high ?? 1));
  return low <= high;
}

function spread(judges: readonly Judge[]): Html {
  if (judges.length === 0) return html`<p class="answer">No run here holds verdicts.</p>`;
  const items = judges.map(
    ({ label, accuracy, ocs }) =>
      html`<li><b>${prose(label)}</b> ${prose(`is right in ${percent(accuracy.rate)}. ${percent(ocs.rate)} of its verdicts change when its rule does.`)}</li>`,
  );
  return html`<ul class="answer">${items}</ul>`;
}
