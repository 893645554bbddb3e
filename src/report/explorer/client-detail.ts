import type { Child, PageText } from './client-text.js';
import type { PageElement } from './dom.js';
import type { ExplorerCondition, ExplorerData, ExplorerSample } from './types.js';

/** What the explorer shows of one sample. */
export interface SampleDetail {
  readonly of: (sample: ExplorerSample) => readonly PageElement[];
}

/**
 * Makes the elements that show one sample whole. `reasons`: why a condition does not apply, in words. It goes into the
 * page as its own source, as {@link makePageText} does.
 */
export function makeSampleDetail(
  { runs, texts }: ExplorerData,
  reasons: Readonly<Record<string, string>>,
  { element, shown, isolated }: PageText,
): SampleDetail {
  const textAt = (index: number | undefined): string => (index === undefined ? '' : (texts[index] ?? ''));
  const verdict = (value: number | undefined): string =>
    value === undefined ? 'none' : value === 1 ? 'compliant' : 'non-compliant';
  const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  const signed = (value: number): string => {
    const size = Math.abs(value).toFixed(3);
    return Number(size) === 0 ? size : `${value < 0 ? '−' : '+'}${size}`;
  };

  const facts = (list: readonly (readonly [name: string, value: Child | readonly Child[]] | null)[]) =>
    element(
      'dl',
      'ex-facts',
      ...list
        .filter(fact => fact !== null)
        .map(([name, value]) =>
          element(
            'div',
            '',
            element('dt', '', name),
            element('dd', '', ...(Array.isArray(value) ? value : [value])),
          ),
        ),
    );

  const state = ({ name, state: is, reason, invisible, swapDomain }: ExplorerCondition): readonly Child[] => {
    if (is === 'missing') return ['No row yet: the run is not complete.'];
    if (is === 'not-applicable')
      return [`Not applicable: ${reasons[reason ?? ''] ?? reason ?? 'no reason recorded'}.`];
    if (is === 'error') return [`Failed with ${reason}; a resume tries it again.`];
    if (name === 'placebo') return ["The baseline's prompt, evaluated again elsewhere in the plan."];
    if (invisible) return ['Applies, but is invisible: the prompt shows what it shows at baseline.'];
    if (swapDomain !== undefined) return ['The rule of ', isolated('', ...shown(swapDomain)), '.'];
    return [];
  };

  const reading = (name: string, value: number | undefined, flip: number | undefined, why: string) => {
    const moved =
      flip === undefined
        ? null
        : element('span', flip === 1 ? 'ex-flip' : '', flip === 1 ? 'flips' : 'unchanged');
    const none = value === undefined && why !== '' ? ` (${why})` : '';
    return [name, [`${verdict(value)}${none}`, moved === null ? null : ', ', moved]] as const;
  };

  const numbers = (condition: ExplorerCondition): PageElement => {
    const { text, logit, flipText, flipLogit, margin, shift, mass, ics, icsDelta } = condition;
    const shifted =
      shift === undefined || condition.name === 'baseline' ? '' : `, ${signed(shift)} against baseline`;
    const moved =
      icsDelta === undefined || condition.name === 'baseline' ? '' : `, ICS-delta ${icsDelta.toFixed(3)}`;
    return facts([
      reading('text reader', text, flipText, condition.nullReason ?? ''),
      reading('logit reader', logit, flipLogit, ''),
      margin === undefined ? null : ['margin', `${signed(margin)} nats${shifted}`],
      condition.fragile ? ['fragile', 'a margin of the pair lies in the noise band'] : null,
      mass === undefined ? null : ['label mass', mass.toFixed(3)],
      ics === undefined ? null : ['ICS', `${signed(ics)}${moved}`],
      condition.generated === undefined
        ? null
        : ['generated', isolated('ex-text', ...shown(textAt(condition.generated)))],
      condition.tokens === undefined ? null : ['prompt', `${whole(condition.tokens)} tokens`],
    ]);
  };

  const rule = ({ changes = [] }: ExplorerCondition): PageElement =>
    isolated(
      'ex-data',
      ...changes.flatMap(([kind, index]): readonly Child[] => {
        const nodes = shown(textAt(index));
        if (kind === 'same') return nodes;
        return [element(kind === 'deleted' ? 'del' : 'ins', '', ...nodes)];
      }),
    );

  const prompt = (sample: ExplorerSample, condition: ExplorerCondition): PageElement | null => {
    const { changes, shownLength = 0, ruleLength = 0, asEvaluated } = condition;
    const run = runs[sample.run];
    if (changes === undefined || run?.parts === undefined) return null;
    const altered = condition.name !== 'baseline' && condition.name !== 'placebo' && !condition.invisible;
    const cut =
      shownLength < ruleLength
        ? `, of the rule the first ${whole(shownLength)} of ${whole(ruleLength)} characters`
        : '';
    const chat = run.chat ? ", as the user's turn of the model's chat template" : '';
    const body = element(
      'div',
      'ex-prompt',
      ...run.parts.map((part): Child => {
        if ('text' in part) return element('span', 'ex-template', ...shown(part.text));
        if (part.field === 'rule') return rule(condition);
        return isolated('ex-data', ...shown(textAt(sample.scenario)));
      }),
    );
    const made = element(
      'details',
      '',
      element('summary', '', `Prompt${altered ? ' with the altered words marked' : ''}${cut}${chat}`),
      body,
      asEvaluated === undefined
        ? element('p', 'ex-small', 'The row keeps no hash of the prompt.')
        : asEvaluated
          ? element(
              'p',
              'ex-small',
              'Made again from the corpus; its SHA-256 is that of the evaluated prompt.',
            )
          : element('p', 'ex-warn', 'This is not the prompt that was evaluated: its SHA-256 differs.'),
    );
    if (altered || condition.name === 'baseline' || asEvaluated === false) made.setAttribute('open', '');
    return made;
  };

  const section = (sample: ExplorerSample, condition: ExplorerCondition): PageElement => {
    const words = state(condition);
    return element(
      'section',
      'ex-condition',
      element('h4', '', condition.name),
      words.length === 0 ? null : element('p', '', ...words),
      condition.state === 'evaluated' ? numbers(condition) : null,
      prompt(sample, condition),
    );
  };

  return {
    of: sample => {
      const run = runs[sample.run];
      return [
        facts([
          ['run', isolated('', ...shown(run?.name ?? ''))],
          ['judge', isolated('', ...shown(run?.subject ?? ''))],
          ['domain', isolated('', ...shown(sample.domain))],
          ['label', verdict(sample.label)],
          ['rule', sample.rule],
          ['profile', isolated('', ...shown(run?.profile ?? ''))],
        ]),
        ...(sample.why === undefined
          ? []
          : [
              element('p', 'ex-warn', 'The texts cannot be shown: ', isolated('', ...shown(sample.why)), '.'),
            ]),
        ...sample.conditions.map(condition => section(sample, condition)),
      ];
    },
  };
}
