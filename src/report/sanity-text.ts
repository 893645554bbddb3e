import type { Sanity, SanityCheck, SanityNumber, SanityOutcome, SanityRow } from '../audit/sanity-types.js';
import { interval, NONE, pValue, share, whole } from './format.js';
import { type Cell, left, paint, renderTable, right, type Style, type Tone, title, wrap } from './table.js';

const NUMBERS: Readonly<Record<SanityNumber, string>> = {
  accuracy: 'accuracy',
  'margin-auroc': 'margin AUROC',
  'ics-auroc': 'ICS AUROC',
  'label-mass': 'label mass',
  'ocs-delete': 'OCS delete',
};

/** Weights and labels test the instrument; rules test the judge. */
const INSTRUMENT: ReadonlySet<SanityCheck> = new Set(['weights', 'labels']);

/** The table of what was shuffled and whether each number fell. */
export function sanitySection(sanity: Sanity, style: Style): string {
  const { samples, copies, tensors, permutations, rules, seed } = sanity;
  const table = renderTable(
    {
      columns: [
        left('shuffled, number'),
        right('unshuffled'),
        right('95 % interval'),
        right('shuffled'),
        right('interval'),
        right('null'),
        right('p'),
        left('outcome'),
      ],
      rows: sanity.rows.map(row => [
        `${row.check}: ${NUMBERS[row.number]}${row.reader === null ? '' : `, ${row.reader}`}`,
        share(row.before.value),
        interval(row.before),
        share(row.after.value),
        interval(row.after),
        share(row.null),
        pValue(row.p),
        outcomeCell(row),
      ]),
    },
    style,
  );
  const far =
    rules.fromOtherDomain === 0 ? '' : `, ${whole(rules.fromOtherDomain)} of them a rule of another domain`;
  const ruled = `${rules.given === samples ? 'each' : `${whole(rules.given)} of them`} shown the rule of another sample${far}`;
  const words =
    `On ${whole(samples)} samples of the run, seed ${seed}. weights: ${copies} copies of the model, the blocks of ${whole(tensors.shuffled)} ` +
    `weight tensors permuted within each (${whole(tensors.kept)} of one dimension kept); interval 99 %, over copies. labels: ` +
    `${permutations} permutations within domains; p is that of the real labels. rules: ${ruled}; p is that verdicts still ` +
    'follow the label. Accuracy counts a null verdict as wrong. Null: labels dealt at random within domains.';
  return [
    title('Sanity: does every number fall to its null?', style),
    table,
    wrap(words),
    sanityVerdict(sanity, style, '  '),
  ].join('\n');
}

function outcomeCell({ check, outcome }: SanityRow): Cell {
  const bad: Tone = INSTRUMENT.has(check) ? 'bad' : 'warn';
  const cells: Readonly<Record<SanityOutcome, { readonly text: string; readonly tone: Tone }>> = {
    fell: { text: 'fell', tone: 'good' },
    partly: { text: 'fell in part', tone: bad },
    stayed: { text: 'did not fall', tone: bad },
    unknown: { text: 'cannot be told', tone: 'dim' },
    none: { text: NONE, tone: 'plain' },
  };
  return cells[outcome];
}

/** What follows, in a sentence for the instrument and one for the rule. */
export function sanityVerdict(sanity: Sanity, style: Style, indent = ''): string {
  const say = (text: string, tone: Tone): string => paint(wrap(text, undefined, indent), tone, style);
  return [instrumentWords(sanity, say), ruleWords(sanity, say)].join('\n');
}

type Say = (text: string, tone: Tone) => string;

function instrumentWords({ rows }: Sanity, say: Say): string {
  const own = rows.filter(({ check }) => INSTRUMENT.has(check));
  const leaks = own.filter(({ outcome }) => outcome === 'stayed' || outcome === 'partly');
  const fell = own.filter(({ outcome }) => outcome === 'fell').length;
  if (leaks.length > 0) {
    const names = leaks.map(row => `${row.check}: ${NUMBERS[row.number]}`).join('; ');
    return say(
      `Sanity: ${whole(leaks.length)} of ${whole(own.length)} numbers did not fall when weights or labels were shuffled (${names}): something ` +
        'else than the model and the labels makes them. Do not trust them before that is found.',
      'bad',
    );
  }
  if (fell === 0)
    return say('Sanity: no number was above its null before, so none could fall: nothing is shown.', 'warn');
  const open = own.length - fell;
  const rest = open === 0 ? '' : `; ${whole(open)} were at their null before, or cannot be told`;
  return say(
    `Sanity: with shuffled weights or labels ${whole(fell)} of ${whole(own.length)} numbers fell to their null${rest}.`,
    'good',
  );
}

function ruleWords({ rows }: Sanity, say: Say): string {
  const outcomesOf = (...numbers: readonly SanityNumber[]): ReadonlySet<SanityOutcome> =>
    new Set(
      rows
        .filter(({ check, number }) => check === 'rules' && numbers.includes(number))
        .map(({ outcome }) => outcome)
        .filter(outcome => outcome !== 'unknown'),
    );
  const verdicts = outcomesOf('accuracy', 'margin-auroc');
  const ics = outcomesOf('ics-auroc');
  if (verdicts.size + ics.size === 0)
    return say('With the rules of other samples: it cannot be told whether the rule matters.', 'warn');
  const sentences = [
    ...(verdicts.size === 0 ? [] : [VERDICT_WORDS[summary(verdicts)]]),
    ...(ics.size === 0 ? [] : [ICS_WORDS[summary(ics)]]),
  ];
  const fell = summary(new Set([...verdicts, ...ics])) === 'fell';
  return say(`With the rules of other samples ${sentences.join('; ')}.`, fell ? 'good' : 'warn');
}

function summary(outcomes: ReadonlySet<SanityOutcome>): 'fell' | 'partly' | 'stayed' {
  if (outcomes.size > 1 || outcomes.has('partly')) return 'partly';
  return outcomes.has('fell') ? 'fell' : 'stayed';
}

const VERDICT_WORDS = {
  fell: 'the judge is no longer right: it needs its own rule',
  partly:
    'the judge is right less often, and more often than by chance: a part of what it scores does not come from its rule',
  stayed: 'the judge is right as often as before: what it scores does not come from its rule',
} as const;

const ICS_WORDS = {
  fell: 'ICS no longer ranks the labels',
  partly: 'ICS ranks the labels less well, and better than by chance',
  stayed: 'ICS ranks the labels as before',
} as const;
