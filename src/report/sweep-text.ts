import type { DrySweep, ReadySweep, SweepResult } from '../api/sweep.js';
import type { SweepSummary } from '../api/sweep-analysis.js';
import type { SweepCost } from '../api/sweep-plan.js';
import { POOLED, type SweepBlock, type SweepCell } from '../audit/sweep-analysis.js';
import { type Call, isWithin } from '../audit/sweep-floor.js';
import { FITTED, isRandom, type Scope } from '../audit/sweep-plan.js';
import { exactnessText, quoted } from './audit-text.js';
import { counted } from './facts.js';
import { interval, NONE, share, signed, whole } from './format.js';
import { gapsAndResume } from './gaps.js';
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
  wrap,
} from './table.js';

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  last: 'at the last prompt token',
  all: 'at every token',
};

const CALL_TONES: Readonly<Record<Call, Tone>> = {
  effect: 'good',
  numeric: 'warn',
  collapse: 'bad',
  untested: 'dim',
};

/** What was chosen, before the first evaluation. */
export function sweepReadyText({ prepared, judge, plan, scale, direction, cost }: ReadySweep): string[] {
  const { steering } = plan;
  const { split, sizing, pool, exactness, tooLong } = judge;
  const rate = split.rate === null ? '' : ` (measured: ${whole(Math.round(split.rate))} tokens/s)`;
  return [
    `${whole(prepared.cases.length)} samples, ${whole(plan.rows.length)} evaluations, profile ${prepared.options.profile.name}; ` +
      `direction ${printable(direction.name)} of norm ${significant(direction.norm)}, used as a unit vector`,
    ...steering.layers.map(
      ({ layer, step, residualNorm, measured }) =>
        `block ${layer}: alpha 1 adds ${significant(step)} (scale ${scale}), ${significant(step / residualNorm)} of the residual norm ` +
        `${significant(residualNorm)} (${measured ? 'measured on these prompts' : 'as the direction file tells'})`,
    ),
    ...costLines(cost, judge.evals.length),
    `${split.workers} ${split.workers === 1 ? 'process' : 'processes'} × ${split.threads} ${split.threads === 1 ? 'thread' : 'threads'}${rate}, ${sizing.lanes} streams + ${sizing.parks} parked, llama.cpp ${pool.facts.release}, ${judge.backend}`,
    exactnessText(exactness),
    ...(tooLong.size > 0
      ? [`${tooLong.size} prompts are longer than ${judge.limit} tokens: their rows say PROMPT_TOO_LONG`]
      : []),
  ];
}

function costLines({ unsteered, scopes }: SweepCost, samples: number): string[] {
  const each = unsteered / Math.max(1, samples);
  return scopes.map(({ scope, evaluations, tokens, perEvaluation }) => {
    const why =
      scope === 'last'
        ? 'they share the prompt, evaluated once'
        : 'each pays the whole prompt, since its cells above the block are its own';
    return (
      `scope ${scope}: ${evaluations} steered evaluations a sample take ${whole(Math.round(tokens))} tokens on top of the ` +
      `${whole(Math.round(unsteered))} of the prompts, ${perEvaluation.toFixed(1)} each against ${each.toFixed(1)} a prompt: ${why}`
    );
  });
}

/** The plan of a sweep. */
export function drySweepText({ samples, rows, layers, cost, tooLong }: DrySweep): string {
  return [
    `${whole(samples)} samples, ${whole(rows)} rows, ${layers.length === 1 ? 'block' : 'blocks'} ${layers.join(', ')}`,
    ...costLines(cost, samples - tooLong),
    'Generation is not counted; it depends on what the model says.',
    ...(tooLong > 0 ? [`${tooLong} prompts do not fit the context`] : []),
  ].join('\n');
}

/** The last words of a sweep. */
export function swept(result: SweepResult): string {
  const dir = printable(result.dir);
  if (result.alreadyComplete) return `${dir} is complete: ${whole(result.rows)} rows, nothing left to do.`;
  if (result.interrupted) return `Interrupted. Go on with: npx plumbline sweep --resume ${dir}`;
  const tokens = result.counters?.tokens ?? 0;
  const errors = result.errors === 0 ? '' : `\n${result.errors} rows failed; --resume tries them again.`;
  return `${whole(result.rows)} rows in ${result.seconds.toFixed(1)} s, ${whole(tokens)} tokens evaluated.${errors}`;
}

/** The dose–response tables of a sweep. */
export function sweepText(summary: SweepSummary, dir: string, style: Style): string {
  const { about, steering, direction, unsteered, identity, exactness } = summary;
  const controls = [
    ...(steering.random > 0 ? [`${counted(steering.random, 'random direction')} at the same norms`] : []),
    ...(steering.nudge > 0 ? [`a vanishing nudge of alpha ${steering.nudge}`] : []),
  ];
  const sections = summary.blocks.map(block => blockText(block, summary, style));
  return [
    ...gapLines(summary, dir, style),
    title(`Steering ${printable(about.subject)} along ${printable(direction.name)}`, style),
    wrap(
      `${printable(about.corpus)}, ${counted(summary.samples, 'sample')}, profile ${printable(summary.profile)}, ${summary.reader} verdicts; ` +
        `controls: ${controls.length === 0 ? 'none' : controls.join(' and ')}`,
    ),
    wrap(
      `Unsteered: accuracy ${share(unsteered.accuracy.rate)} ${interval(unsteered.accuracy)}, ${whole(unsteered.nulls)} of ${whole(unsteered.n)} without a verdict. ` +
        identityText(identity, exactness?.kind === 'exact'),
    ),
    ...sections.flatMap(text => ['', text]),
    '',
    ...legend(summary),
  ].join('\n');
}

function gapLines({ coverage }: SweepSummary, dir: string, style: Style): string[] {
  const text = gapsAndResume(coverage, `plumbline sweep --resume ${quoted(dir)}`);
  return text === null ? [] : [paint(wrap(text, undefined, ''), 'warn', style), ''];
}

/** Whether alpha 0 gave the unsteered row. */
export function identityText({ rows, equal, largest }: SweepSummary['identity'], exact: boolean): string {
  if (equal === rows) return `Alpha 0 equals it bit for bit in ${whole(equal)} of ${whole(rows)} rows.`;
  return (
    `Alpha 0 equals it bit for bit in ${whole(equal)} of ${whole(rows)} rows; margins differ by up to ${significant(largest)}` +
    (exact ? ', which an exact run rules out: do not read on.' : ', as the schedule of this run is inexact.')
  );
}

function blockText(block: SweepBlock, { steering }: SweepSummary, style: Style): string {
  const shown = block.cells.filter(
    cell => cell.direction === FITTED || cell.direction === POOLED || steering.random === 1,
  );
  const table = renderTable(
    {
      columns: [
        left('along'),
        right('alpha'),
        right('/resid'),
        right('comp'),
        right('null'),
        left('right %'),
        right('flips'),
        right('p'),
        right('shift'),
        right('size'),
        right('mass'),
        right('KL'),
        left('call'),
      ],
      rows: shown.map(rowOf),
    },
    style,
  );
  const head = `Block ${block.layer}, ${SCOPE_WORDS[block.scope]}: alpha 1 adds ${significant(block.step)}, the residual norm is ${significant(block.residualNorm)}${block.measured ? ' (measured)' : ''}`;
  return [title(head, style), table, ...callSentences(block).map(text => wrap(text))].join('\n');
}

function rowOf(cell: SweepCell): readonly Cell[] {
  const judged = cell.compliant + cell.nonCompliant;
  const control = cell.direction !== FITTED;
  const { rate, low, high } = cell.accuracy;
  const bounds = low === null || high === null ? '' : ` [${hundredths(low)}, ${hundredths(high)}]`;
  const texts = [
    control ? POOLED : FITTED,
    alphaText(cell.alpha),
    significant(cell.residualShare),
    share(judged === 0 ? null : cell.compliant / judged),
    share(cell.n === 0 ? null : cell.nulls / cell.n),
    rate === null ? NONE : `${hundredths(rate)}${bounds}`,
    whole(cell.flips.count),
    cell.p === null ? NONE : cell.p < 0.0005 ? '<.001' : share(cell.p),
    short(cell.shift.mean, true),
    short(cell.shift.meanAbs, false),
    share(cell.labelMass),
    short(cell.kl, false),
  ];
  const call: Cell = cell.call === null ? '' : { text: cell.call, tone: CALL_TONES[cell.call] };
  return control ? [...texts.map((text): Cell => ({ text, tone: 'dim' })), call] : [...texts, call];
}

/** Which alphas do what, in a sentence each. */
export function callSentences({ cells }: SweepBlock): string[] {
  const mass = share(cells.find(cell => cell.alpha === 0)?.labelMass ?? null);
  const numeric = (holds: (cell: SweepCell) => boolean) => (cell: SweepCell) =>
    cell.call === 'numeric' && holds(cell);
  const nudged = (cell: SweepCell): boolean => isWithin(cell.floors?.nudge ?? null);
  const lines: readonly (readonly [string, (cell: SweepCell) => boolean])[] = [
    ['An effect, more than every control gives, at alpha', cell => cell.call === 'effect'],
    [
      'Numeric, no more than random directions of the same norm give, at alpha',
      numeric(cell => !nudged(cell)),
    ],
    ['Numeric, no more than the vanishing nudge gives, at alpha', numeric(nudged)],
    [`Label mass, ${mass} at alpha 0, collapses at alpha`, cell => cell.call === 'collapse'],
    ['Not told from noise, for want of controls or samples, at alpha', cell => cell.call === 'untested'],
  ];
  return lines.flatMap(([words, holds]) => {
    const alphas = cells.filter(holds).map(cell => alphaText(cell.alpha));
    return alphas.length === 0 ? [] : [`${words} ${alphas.join(', ')}.`];
  });
}

function legend({ steering, blocks }: SweepSummary): string[] {
  const pooled = blocks.some(block => block.cells.some(cell => isRandom(cell.direction)));
  return [
    wrap(
      '/resid: norm of the step over the mean residual norm; comp: compliant among the verdicts; right: accuracy with its 95 % interval; flips, p (exact McNemar), shift of ' +
        'the margin (nats) and its mean size: against alpha 0; mass: probability of the labels; KL: nats from the unsteered prediction.',
    ),
    ...(pooled && steering.random > 1
      ? [
          wrap(
            `random: ${steering.random} directions together; flips are of ${steering.random} rows a sample.`,
          ),
        ]
      : []),
  ];
}

const hundredths = (value: number): string => (100 * value).toFixed(0);

function alphaText(alpha: number): string {
  const size = Math.abs(alpha);
  const text = size !== 0 && size < 0.001 ? size.toExponential().replace('e-', 'e−') : String(size);
  return alpha < 0 ? `−${text}` : text;
}

/** Three significant figures without a leading zero. */
function significant(value: number): string {
  if (value === 0) return '0';
  if (value >= 1000) return whole(Math.round(value));
  return value < 0.001 ? power(value) : String(Number(value.toPrecision(3))).replace(/^0\./, '.');
}

/** One significant figure: 1e−4. */
function power(value: number): string {
  return value.toExponential(0).replace('e-', 'e−');
}

/** A number in at most seven columns. */
function short(value: number | null, sign: boolean): string {
  if (value === null) return NONE;
  if (Math.abs(value) >= 10) {
    const text = Math.abs(value).toFixed(1);
    return sign ? `${value < 0 ? '−' : '+'}${text}` : text;
  }
  return sign ? signed(value) : value !== 0 && value < 0.0005 ? power(value) : share(value);
}
