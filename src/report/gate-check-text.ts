import type { GateCheck, TaskCheck } from '../gate/check.js';
import { LEAST_BALANCE_P, LEAST_MANIPULATION } from '../gate/check.js';
import { OVERLAPS, type OverlapName } from '../gate/overlap.js';
import { NONE, pValue, share, whole } from './format.js';
import { left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

const NAMES: Readonly<Record<OverlapName, string>> = {
  tokenJaccard: 'tokens',
  charJaccard: '4 letters',
  levenshtein: 'edits',
};

/** What `gate check` prints. */
export function gateCheckText(check: GateCheck, style: Style): string {
  const verdict = check.interpretable
    ? paint('interpretable', 'good', style)
    : paint('not interpretable', 'bad', style);
  return [
    `${verdict}: ${printable(check.corpus)}`,
    ...check.tasks.map(task => `\n${taskText(task, style)}`),
    '',
    wrap(
      'Overlap of wording with the anchor: Jaccard of tokens (this decides), Jaccard of stretches of four letters, 1 - edit ' +
        `distance. Close must differ from distant (AUROC at least ${share(LEAST_MANIPULATION, 2)}), and same from opposite ` +
        `must not, within each (exact permutation p above ${share(LEAST_BALANCE_P, 2)}; ~ = from draws). The last two ` +
        'columns are the AUROC of same against opposite by overlap alone, what the wording gives away: .500 is nothing.',
    ),
  ].join('\n');
}

function taskText(task: TaskCheck, style: Style): string {
  const table = renderTable(
    {
      columns: [
        left('overlap'),
        ...['A opp close', 'C same close', 'B opp dist', 'D same dist', 'AUROC', 'p close', 'p dist'].map(
          right,
        ),
        right('close'),
        right('distant'),
      ],
      rows: OVERLAPS.map(name => {
        const { means, manipulation, balance } = task.overlap[name];
        return [
          NAMES[name],
          share(means.A, 4),
          share(means.C, 4),
          share(means.B, 4),
          share(means.D, 4),
          share(manipulation),
          marked(balance.close.p, balance.close.exact),
          marked(balance.distant.p, balance.distant.exact),
          share(balance.close.decisionAuroc),
          share(balance.distant.decisionAuroc),
        ];
      }),
    },
    style,
  );
  const incomplete =
    task.incompleteAnchors.length === 0
      ? []
      : [
          wrap(
            `${whole(task.incompleteAnchors.length)} anchors do not have each cell once: ` +
              printable(task.incompleteAnchors.join(', ')),
          ),
        ];
  return [
    title(`${task.task}: ${whole(task.pairs)} pairs of ${whole(task.anchors)} anchors`, style),
    table,
    ...task.reasons.map(reason => paint(wrap(reason), 'bad', style)),
    ...incomplete,
  ].join('\n');
}

/** p with a mark where it is from draws. */
function marked(p: number | null, exact: boolean): string {
  return p === null ? NONE : `${exact ? '' : '~'}${pValue(p)}`;
}
