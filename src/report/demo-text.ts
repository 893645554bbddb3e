import type { DemoJudge } from '../api/demo.js';
import type { Rate } from '../audit/analyze-types.js';
import { type BlockUse, LIMITS, type RuleUse, type RuleUseKind } from '../audit/rule-use.js';
import { interval, NONE, share, whole } from './format.js';
import { type Cell, left, paint, renderTable, right, type Style, type Tone, title, wrap } from './table.js';

/** Everything that `demo` prints fits an old terminal. */
const COLUMNS = 80;
const LABEL = 26;
const BAR = 10;
const JUDGE = 18;

/** The picture, why accuracy does not show it, and the figures behind both. At most 80 columns. */
export function demoText(judges: readonly DemoJudge[], style: Style): string {
  return `${[
    pictureSection(judges, style),
    accuracySection(judges, style),
    derivationSection(style),
    figuresSection(judges, style),
    blocksSection(judges, style),
  ].join('\n\n')}\n`;
}

function pictureSection(judges: readonly DemoJudge[], style: Style): string {
  const uses = judges.map(({ use }) => use);
  const row = (label: string, cell: (use: RuleUse) => string): string =>
    ` ${label.padEnd(LABEL - 1)}${uses.map(use => cell(use).padEnd(JUDGE)).join('')}`.trimEnd();
  const rate = (label: string, of: (use: RuleUse) => Rate): string =>
    row(label, use => bar(of(use).rate, 1, share(of(use).rate), style));
  const ratio = (label: string, of: (use: RuleUse) => BlockUse): string =>
    row(label, use => bar(of(use).ratio, 2, of(use).ratio?.toFixed(2) ?? NONE, style));
  return [
    title(headline(uses), style),
    '',
    title(`${' '.repeat(LABEL)}${judges.map(({ name }) => name.padEnd(JUDGE)).join('')}`.trimEnd(), style),
    rate('accuracy', use => use.accuracy.confounded),
    '',
    ' verdicts that change when the rule is',
    rate('  deleted', use => use.flips.delete),
    rate('  swapped for another', use => use.flips.swap),
    rate('  negated', use => use.flips.negate),
    '',
    ' how far negating the rule moves the residual stream along compliance',
    ratio('  at its best block', use => use.best),
    ratio('  at the last block', use => use.last),
    '',
    ...judges.map(({ name, use }) => {
      const [first = '', ...more] = wrap(sentence(use), COLUMNS - 14, '').split('\n');
      const tone = TONES[use.kind];
      return [
        ` ${title(name.padEnd(12), style)}${paint(first, tone, style)}`,
        ...more.map(line => `${' '.repeat(13)}${paint(line, tone, style)}`),
      ].join('\n');
    }),
  ].join('\n');
}

const NUMBERS = ['No', 'One', 'Two', 'Three'];

/** What the figures let one say above them. */
function headline(uses: readonly RuleUse[]): string {
  const rates = uses.map(({ accuracy }) => accuracy.confounded.rate ?? 0);
  const equal = Math.max(...rates) - Math.min(...rates) <= 0.02 ? 'equal accuracy' : 'different accuracy';
  const kinds = new Set(uses.map(({ kind }) => kind)).size;
  const truths = kinds === 1 ? 'one truth' : `${NUMBERS[kinds]?.toLowerCase()} truths`;
  return ` ${NUMBERS[uses.length]} judges: ${equal}, ${truths}`;
}

function bar(value: number | null, full: number, text: string, style: Style): string {
  const filled = value === null ? 0 : Math.round((BAR * Math.min(value, full)) / full);
  const rest = paint('·'.repeat(BAR - filled), 'dim', style);
  return `${'█'.repeat(filled)}${rest} ${text.padStart(5)}${' '.repeat(JUDGE - BAR - 6)}`;
}

const TONES: Readonly<Record<RuleUseKind, Tone>> = {
  reads: 'good',
  'never-looked': 'bad',
  'computes-and-ignores': 'warn',
  unclear: 'bad',
};

/** What a judge does with its rule, in a sentence that its figures alone decide. */
export function sentence(use: RuleUse): string {
  const { kind, best, last } = use;
  switch (kind) {
    case 'reads':
      return `Reads its rule: the verdict follows the rule, and so does block ${best.layer}.`;
    case 'never-looked':
      return 'Never looked: answers the wording of the scenario. No block tells a rule from its opposite.';
    case 'computes-and-ignores':
      return `Computes what the rule says at block ${best.layer}, then ignores it: answers the wording of the scenario. At block ${last.layer} nothing of it is left.`;
    case 'unclear':
      return `Unclear: ${parts(use).join(', ')}.`;
  }
}

function parts({ accuracy, verdict, inside, best, last }: RuleUse): readonly string[] {
  const verdicts = { follows: 'the verdict follows the rule', ignores: 'the verdict ignores the rule' };
  const insides = {
    computes: `block ${best.layer} computes what the rule says (block ${last.layer}: ${last.ratio?.toFixed(2) ?? NONE})`,
    nothing: 'no block holds anything of it',
  };
  return [
    `accuracy ${share(accuracy.confounded.rate)}`,
    verdict === null ? 'the verdict neither follows the rule nor ignores it' : verdicts[verdict],
    inside === null ? `block ${best.layer} does not tell what the rule says` : insides[inside],
  ];
}

function accuracySection(judges: readonly DemoJudge[], style: Style): string {
  const uses = judges.map(({ use }) => use);
  const line = (label: string, of: (use: RuleUse) => Rate): string =>
    ` ${label.padEnd(LABEL - 1)}${uses.map(use => bar(of(use).rate, 1, share(of(use).rate), style).padEnd(JUDGE)).join('')}`.trimEnd();
  return [
    title(' Why accuracy does not show it', style),
    wrap(
      'In this corpus every scenario has a sentence about a mood, and the mood agrees with the label in every case: ' +
        'being right does not need the rule. In the crossed corpus each scenario stands under two rules with opposite ' +
        'labels, so the mood tells nothing. Accuracy there:',
      COLUMNS,
      ' ',
    ),
    '',
    line('accuracy, crossed corpus', use => use.accuracy.crossed),
  ].join('\n');
}

function derivationSection(style: Style): string {
  const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
  return [
    title(' What decides the sentences', style),
    ...[
      `The verdict follows the rule: the 95 % intervals of the flips under negation and of crossed accuracy lie above ${percent(LIMITS.follows)}.`,
      `It ignores the rule: the intervals of all three flips lie below ${percent(LIMITS.ignores)}.`,
      `A block computes what the rule says: along a direction of compliance fitted on the crossed corpus its AUROC there is at least ${share(LIMITS.auroc, 1)}, and negating rules moves it by at least ${LIMITS.ratio.toFixed(1)} of its mean size. Below ${share(LIMITS.nothing, 1)} it holds nothing of it.`,
    ].map(text => wrap(text, COLUMNS, ' ')),
  ].join('\n');
}

function figuresSection(judges: readonly DemoJudge[], style: Style): string {
  const cell = (rate: Rate): Cell => `${share(rate.rate)} ${interval(rate, 2)}`;
  const row = (label: string, of: (use: RuleUse) => Rate): readonly Cell[] => {
    const sizes = new Set(judges.map(({ use }) => whole(of(use).n)));
    return [label, [...sizes].join('/'), ...judges.map(({ use }) => cell(of(use)))];
  };
  const table = renderTable(
    {
      columns: [left('95 % intervals'), right('n'), ...judges.map(({ name }) => right(name))],
      rows: [
        row('accuracy', use => use.accuracy.confounded),
        row('accuracy, crossed', use => use.accuracy.crossed),
        row('flips, deleted', use => use.flips.delete),
        row('flips, swapped', use => use.flips.swap),
        row('flips, negated', use => use.flips.negate),
      ],
    },
    style,
  );
  const placebo = judges.map(({ summary }) =>
    summary.readers.text.ocs.find(row => row.measure === 'placebo'),
  );
  const noise = placebo.map(row => `${row?.pooled.all.count ?? NONE} of ${row?.pooled.all.n ?? NONE}`);
  return [
    title(' The verdicts', style),
    table,
    wrap(
      'Flips: verdicts that change. Without a rule, or under one about something else, everything complies, so that a ' +
        'judge that reads changes half of its verdicts; negation turns all of them. ' +
        `Unchanged prompts, evaluated a second time, change ${noise.join(', ')} verdicts.`,
      COLUMNS,
    ),
  ].join('\n');
}

function blocksSection(judges: readonly DemoJudge[], style: Style): string {
  const layers = [...new Set(judges.flatMap(({ use }) => use.blocks.map(({ layer }) => layer)))];
  const table = renderTable(
    {
      columns: [left('block'), ...judges.flatMap(({ name }) => [right(`${name}: AUROC`), right('moved')])],
      rows: layers.map(layer => [
        `${layer}`,
        ...judges.flatMap(({ use }): readonly Cell[] => {
          const block = use.blocks.find(one => one.layer === layer);
          const tone = layer === use.best.layer ? 'bold' : 'plain';
          const mark = layer === use.best.layer ? '*' : '';
          return [
            { text: `${mark}${share(block?.auroc ?? null)}`, tone },
            { text: block?.ratio?.toFixed(2) ?? NONE, tone },
          ];
        }),
      ]),
    },
    style,
  );
  return [
    title(' Inside, block by block', style),
    table,
    wrap(
      'AUROC: how well the block tells compliant from non-compliant in the crossed corpus; .5 is chance. Moved: mean ' +
        'ICS-delta under negation over mean ICS; 2 is to the other side. A block that moves at an AUROC of chance has the ' +
        'words of the negation, not what follows from them. * the best block: the fit chose it on cases of its own.',
      COLUMNS,
    ),
  ].join('\n');
}
