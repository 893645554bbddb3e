import type { PromptView } from '../api/prompt-view.js';
import type { ConditionView, SampleView } from '../api/sample-view.js';
import type { Label } from '../corpus/types.js';
import type { Reading } from '../run/types.js';
import { type Fact, factLines } from './facts.js';
import { NONE, share, signed, whole } from './format.js';
import { passage, plainPassage } from './passage.js';
import { paint, printable, type Style, title, WIDTH, wrap } from './table.js';

/** One sample whole: its texts, and under each condition the rule that was shown and what the judge made of it. */
export function sampleText(view: SampleView, style: Style): string {
  const facts: readonly Fact[] = [
    ['domain', view.domain ?? NONE],
    ['label', view.label === null ? NONE : verdictName(view.label)],
    ['rule', view.ruleId ?? NONE],
    ['profile', view.profile],
  ];
  return [
    title(wrap(`Sample ${printable(view.sampleId)}`, WIDTH, ''), style),
    factLines(facts, style),
    ...(view.why === null
      ? []
      : [paint(wrap(printable(`The texts cannot be shown: ${view.why}`)), 'warn', style)]),
    ...(view.scenario === null ? [] : ['', title('Scenario', style), plainPassage(view.scenario, style)]),
    ...view.conditions.flatMap(condition => ['', conditionText(condition, style)]),
    ...(view.steeredRows === 0
      ? []
      : ['', wrap(`${whole(view.steeredRows)} steered rows are not shown here.`)]),
  ].join('\n');
}

function verdictName(verdict: Label): string {
  return verdict === 1 ? 'compliant' : 'non-compliant';
}

/** Reasons that a row gives for not being applicable, in words. */
export const REASONS: Readonly<Record<string, string>> = {
  'no-mandatory-modal': 'the rule has no "must" or "shall" that is not negated already',
  'one-domain': 'the corpus has one domain only, so there is no other rule to swap in',
  'not-drawn': 'this sample was not drawn for it',
};

function conditionText(view: ConditionView, style: Style): string {
  const { condition, row, prompt } = view;
  const parts = [`${title(condition, style)}${printable(stateWords(view))}`];
  if (prompt !== null && condition !== 'placebo') parts.push(...ruleText(view, prompt, style));
  if (row?.applicable) parts.push(factLines(rowFacts(view, row), style));
  if (prompt?.asEvaluated === false) {
    parts.push(
      paint(
        wrap('The prompt that was made again here is not the one that was evaluated (SHA-256 differs).'),
        'bad',
        style,
      ),
    );
  }
  return parts.join('\n');
}

function stateWords({ condition, row, prompt }: ConditionView): string {
  if (row === null) return ': no row yet';
  if (!row.applicable) {
    return `: not applicable, ${REASONS[row.reason ?? ''] ?? row.reason ?? 'no reason recorded'}`;
  }
  if (row.errorCode !== null) return `: failed with ${row.errorCode}; a resume tries it again`;
  if (condition === 'placebo') return ": the baseline's prompt, evaluated again elsewhere in the plan";
  if (!row.visible) return ': applies, but is invisible, as the prompt shows what it shows at baseline';
  if (prompt?.swapDomain) return `: the rule of ${prompt.swapDomain}`;
  return '';
}

function ruleText({ condition, row }: ConditionView, prompt: PromptView, style: Style): readonly string[] {
  const shownLength = [...prompt.shownRule].length;
  const cut =
    shownLength < prompt.ruleLength
      ? `, its first ${whole(shownLength)} of ${whole(prompt.ruleLength)} characters`
      : '';
  if (condition !== 'baseline' && row?.visible === false) return [];
  if (condition === 'baseline' && prompt.shownRule === '') return [wrap('The prompt shows no rule.')];
  const marks = condition === 'baseline' ? '' : ', against baseline';
  return [wrap(`Rule as shown${cut}${marks}:`), passage(prompt.changes, style)];
}

function rowFacts({ condition, flip, marginShift }: ConditionView, row: Reading): readonly Fact[] {
  const moved = (value: Label | null): string =>
    condition === 'baseline'
      ? ''
      : value === null
        ? ', no flip can be told'
        : value === 1
          ? ', FLIPS'
          : ', unchanged';
  const text =
    row.verdictText === null
      ? `none (${row.nullReason ?? row.errorCode ?? 'no reason recorded'})`
      : verdictName(row.verdictText);
  const logit = row.verdictLogit === null ? 'none' : verdictName(row.verdictLogit);
  const shift = marginShift === null ? '' : `, ${signed(marginShift)} against baseline`;
  const numbers: readonly (Fact | null)[] = [
    row.margin === null ? null : ['margin', `${signed(row.margin)}${shift}`],
    row.logprobCompliant === null
      ? null
      : [
          'log-probabilities',
          `compliant ${signed(row.logprobCompliant)}, non-compliant ${signed(row.logprobNoncompliant)}`,
        ],
    row.labelMass === null ? null : ['label mass', share(row.labelMass)],
    row.generated === null ? null : ['generated', JSON.stringify(row.generated)],
    row.nTokens === null ? null : ['prompt', `${whole(row.nTokens)} tokens`],
  ];
  return [
    ['text reader', text + moved(flip.text)],
    ['logit reader', logit + moved(flip.logit)],
    ...numbers.filter(fact => fact !== null),
  ];
}
