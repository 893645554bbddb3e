import type { EncoderAudit, GateAudit, TaskAudit } from '../gate/audit.js';
import { HOLDS_UP_TO, SHRINKS_FROM } from '../gate/audit.js';
import type { GuardProbe } from '../gate/drift-guard.js';
import type { OperatingPoint } from '../gate/measures.js';
import { NEAR_TIE } from '../gate/measures.js';
import { TASKS, type Task } from '../gate/types.js';
import { interval, NONE, percent, pValue, share, signed, whole } from './format.js';
import { boundaryText } from './gate-presets-text.js';
import { gateStrip } from './gate-strip.js';
import { plainPassage } from './passage.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

const VERDICTS = {
  holds: 'the finding holds: the score reads the wording, not the decision',
  shrinks: 'the finding shrinks: the score tells decisions apart',
  inconclusive: 'inconclusive',
} as const;

/** What `gate audit` prints. */
export function gateAuditText(audit: GateAudit, style: Style): string {
  const tasks = TASKS.filter(task => audit.floor.tasks[task] !== undefined);
  return [
    title(`Similarity gate on ${printable(audit.corpus.name)}`, style),
    ...(audit.forced
      ? [
          paint(
            wrap(
              'NOT INTERPRETABLE: the corpus failed its check and was forced. See the naive AUROC beside the stratified one.',
            ),
            'bad',
            style,
          ),
        ]
      : []),
    ...(audit.gate === null
      ? []
      : [
          wrap(
            `Gate ${printable(audit.gate.name)}: ${audit.gate.metric} ${audit.gate.comparison} ${audit.gate.threshold}, ` +
              `${printable(audit.gate.action)} when ${boundaryText(audit.gate.effective)}`,
          ),
        ]),
    ...tasks.map(task => `\n${taskText(audit, task, style)}`),
  ].join('\n');
}

function taskText(audit: GateAudit, task: Task, style: Style): string {
  const floor: EncoderAudit = { ...audit.floor, encoder: 'floor' };
  const all = [...audit.encoders, floor].flatMap(({ encoder, tasks }) => {
    const measured = tasks[task];
    return measured === undefined ? [] : [{ encoder, measured }];
  });
  const encoders = all.slice(0, -1);
  const decision = audit.decision[task] ?? null;
  return [
    title(task, style),
    renderTable(
      {
        columns: [left('encoder'), ...HEADERS.map(right)],
        rows: all.map(({ encoder, measured }) => [printable(encoder), ...measureCells(measured)]),
      },
      style,
    ),
    decision === null
      ? paint(
          wrap(
            audit.forced
              ? 'Nothing is decided on a corpus that is not interpretable.'
              : 'No encoder has a score in both strata: nothing to decide.',
          ),
          'warn',
          style,
        )
      : wrap(
          `${VERDICTS[decision.verdict]} (stratified AUROC ${share(decision.stratified)} of the least favourable encoder, ` +
            `${printable(decision.encoder)}; holds up to ${share(HOLDS_UP_TO, 2)}, shrinks from ${share(SHRINKS_FROM, 2)}).`,
        ),
    ...encoders.map(({ encoder, measured }) => `\n${encoderText(encoder, measured, style)}`),
  ].join('\n');
}

const HEADERS = [
  'close',
  'distant',
  'stratified',
  '95 %',
  'over floor',
  '95 %',
  'lexical',
  'naive',
  'opposite',
] as const;

function measureCells({
  auroc,
  intervals,
  floor,
  lexicalAuroc,
  naiveAuroc,
  oppositeConfoundAuroc,
}: TaskAudit): readonly Cell[] {
  return [
    share(auroc.close),
    share(auroc.distant),
    share(auroc.stratified),
    intervals.stratified === null ? NONE : interval(intervals.stratified),
    signed(floor.difference),
    floor.interval === null ? NONE : `${signed(floor.interval.low)} … ${signed(floor.interval.high)}`,
    share(lexicalAuroc),
    share(naiveAuroc),
    share(oppositeConfoundAuroc),
  ];
}

function encoderText(encoder: string, measured: TaskAudit, style: Style): string {
  const { singleThreshold: single, paired, nearTies, flagged } = measured;
  const flags = Object.entries(flagged);
  const points = [...measured.operatingPoints.map(point => [share(point.threshold, 2), point] as const)];
  if (measured.gate !== null) points.push(['your gate', measured.gate]);
  return [
    title(printable(encoder), style),
    ...(flags.length === 0
      ? []
      : [
          paint(
            wrap(`Left out: ${flags.map(([flag, count]) => `${flag} ${count}`).join(', ')}`),
            'warn',
            style,
          ),
        ]),
    gateStrip(measured, style),
    renderTable(
      {
        columns: [
          left('score >='),
          ...[
            'balanced acc.',
            'reversals approved',
            'close',
            'distant',
            'paraphrases rejected',
            'close',
            'distant',
          ].map(right),
        ],
        rows: points.map(([name, point]) => [name, ...pointCells(point)]),
      },
      style,
    ),
    ...(single === null
      ? []
      : [
          wrap(
            `One threshold for both strata: ${share(single.pooled.balancedAccuracy)} at best; one for each: ` +
              `${share(single.meanPerStratum)}. It costs ${share(single.cost)}; the two optima are ${share(single.spread)} apart.`,
          ),
        ]),
    wrap(
      `Paraphrase minus reversal, mean over anchors (sign-flip p): close ${signed(paired.close.meanDifference)} ` +
        `(${pValue(paired.close.p)}), distant ${signed(paired.distant.meanDifference)} (${pValue(paired.distant.p)}). ` +
        `Near-ties within ${NEAR_TIE}: close ${nearTies.close.count}, distant ${nearTies.distant.count}.`,
    ),
    renderTable(
      {
        columns: [
          left('subclass'),
          right('anchors'),
          right('AUROC close'),
          right('AUROC distant'),
          right('A mean'),
          right('C mean'),
        ],
        rows: measured.subclasses.map(({ subclass, anchors, auroc, cellMeans }) => [
          printable(subclass),
          whole(anchors),
          share(auroc.close),
          share(auroc.distant),
          share(cellMeans.A),
          share(cellMeans.C),
        ]),
      },
      style,
    ),
    wrap('As a drift guard:'),
    guardTable(measured.driftGuard, style),
    ...(measured.worstReversals.length === 0 ? [] : [wrap('Reversals that score highest:')]),
    ...measured.worstReversals.map(({ score, approved, textA, textB }) =>
      [
        wrap(`${share(score, 4)}${approved === null ? '' : approved ? ', approved' : ', rejected'}`),
        plainPassage(`${textA}\n${textB}`, style),
      ].join('\n'),
    ),
  ].join('\n');
}

function pointCells({ balancedAccuracy, approveReversals, strata }: OperatingPoint): readonly Cell[] {
  const { close, distant } = strata;
  const rejected = close.paraphrasesRejected + distant.paraphrasesRejected;
  const paraphrases = close.paraphrases + distant.paraphrases;
  return [
    share(balancedAccuracy),
    percent(approveReversals),
    `${close.reversalsApproved}/${close.reversals}`,
    `${distant.reversalsApproved}/${distant.reversals}`,
    percent(paraphrases === 0 ? null : rejected / paraphrases),
    `${close.paraphrasesRejected}/${close.paraphrases}`,
    `${distant.paraphrasesRejected}/${distant.paraphrases}`,
  ];
}

function guardTable(probes: readonly GuardProbe[], style: Style): string {
  return renderTable(
    {
      columns: [left('reading of .40'), right('correct fires'), right('harmful fires'), right('Youden J')],
      rows: probes.map(({ reading, correctFires, reversals, harmfulFires, paraphrases, youdenJ }) => [
        reading,
        `${correctFires}/${reversals}`,
        `${harmfulFires}/${paraphrases}`,
        signed(youdenJ),
      ]),
    },
    style,
  );
}
