import type { Effect, Interventions, PairedChange, Step } from '../audit/interventions.js';
import { NONE, pValue, share, signed, whole } from './format.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

const EFFECTS: Readonly<Record<Effect, string>> = {
  text: 'text: the whole rule',
  instruction: 'instruction: quote the clause first',
  both: 'both',
  other: 'Another prompt',
};

/** What another prompt changes: against each other run, then the whole rule apart from the instruction. */
export function interventionsText(found: Interventions, cautions: readonly string[], style: Style): string {
  const { paired, effects, missing } = found;
  return `${[
    title('What does another prompt change?', style),
    ...paired.map(step => pairedTable(step, style)),
    wrap(groupWords(found)),
    wrap(
      'Baseline rows of the same samples under both prompts. Accuracy and what follows are over the pairs with both ' +
        'verdicts; nulls stand beside, from and to, since a prompt that loses verdicts has a flattering rest. Change: with ' +
        'a 95 % paired bootstrap interval; p: exact McNemar.',
    ),
    ...cautions.map(text => paint(wrap(printable(text)), 'warn', style)),
    ...(effects.length === 0 ? [] : ['', ...effectSection(effects, missing, style)]),
  ].join('\n')}\n`;
}

const COLUMNS = ['samples', 'pairs', 'accuracy', 'change', 'gained', 'lost', 'p', 'nulls'].map(right);

function pairedTable({ run, from, to, changes }: Interventions['paired'][number], style: Style): string {
  const none =
    changes[0]?.pairs === 0
      ? [
          paint(
            wrap(
              `No sample has a verdict under both, so nothing is compared; \`plumbline analyze\` of each run says why.`,
            ),
            'warn',
            style,
          ),
        ]
      : [];
  return [
    wrap(`${printable(from)} → ${printable(to)}, against ${printable(run)}`),
    renderTable(
      { columns: [left('samples of'), ...COLUMNS], rows: changes.map(row => [row.group, ...cellsOf(row)]) },
      style,
    ),
    ...none,
  ].join('\n');
}

function cellsOf(row: PairedChange): readonly Cell[] {
  const { samples, pairs, rightFrom, rightTo, change, low, high, gained, lost, p, nullsFrom, nullsTo } = row;
  const bounds = low === null || high === null ? '' : ` [${signed(low)}, ${signed(high)}]`;
  return [
    whole(samples),
    whole(pairs),
    pairs === 0 ? NONE : `${share(rightFrom / pairs)} → ${share(rightTo / pairs)}`,
    `${signed(change)}${bounds}`,
    whole(gained),
    whole(lost),
    pValue(p),
    `${whole(nullsFrom)} → ${whole(nullsTo)}`,
  ];
}

/** One table: a heading for each effect, under it its steps with their groups. */
function effectSection(
  effects: readonly Step[],
  missing: Interventions['missing'],
  style: Style,
): readonly string[] {
  const kinds = [...new Set(effects.map(({ effect }) => effect))];
  const rows = kinds.flatMap((effect): readonly (readonly Cell[])[] => [
    [{ text: EFFECTS[effect], tone: 'bold' }],
    ...effects
      .filter(step => step.effect === effect)
      .flatMap(({ from, to, changes }) =>
        changes
          .filter(({ group }) => group !== 'neither')
          .map(row => [row.group === 'all' ? `${from} → ${to}` : `  ${row.group}`, ...compact(row)]),
      ),
  ]);
  const columns = ['pairs', 'accuracy', 'change', 'gained', 'lost', 'p'].map(right);
  return [
    title('The whole rule, or the instruction?', style),
    renderTable({ columns: [left('prompt'), ...columns], rows }, style),
    wrap(
      'Each effect is seen twice, without the other change and with it. Where the two differ, the changes act on each ' +
        'other, and neither figure alone is the effect.',
    ),
    ...(missing.length === 0 ? [] : [wrap(missingWords(missing))]),
  ];
}

function compact(row: PairedChange): readonly Cell[] {
  const [, pairs, accuracy, change, gained, lost, p] = cellsOf(row);
  return [pairs, accuracy, change, gained, lost, p].map(cell => cell ?? NONE);
}

function groupWords({ groups }: Interventions): string {
  const { source, reader, LOW, HIGH, open } = groups;
  const by = `Groups fixed on ${printable(source)} (${reader} reader)`;
  if (LOW + HIGH + groups.neither === 0) {
    return (
      `${by}: none, since it has no flips to make them of. Name a run with all conditions first, or a partition file ` +
      '(--partition).'
    );
  }
  return `${by}: ${whole(LOW)} LOW, ${whole(HIGH)} HIGH, ${whole(groups.neither)} neither, ${whole(open)} open.`;
}

function missingWords(missing: Interventions['missing']): string {
  const profiles = [...new Set(missing.flatMap(step => step.profiles))];
  const steps = missing.map(({ from, to }) => `${from} → ${to}`);
  return (
    `Missing: no run under ${profiles.join(' or ')}, so not told: ${steps.join('; ')}. Make one with ` +
    `\`plumbline audit --against RUN --profile ${profiles[0] ?? ''}\` and name it with a further --against.`
  );
}
