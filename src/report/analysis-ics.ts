import type { Summary } from '../audit/analyze-types.js';
import type { IcsAuroc, IcsBlock, IcsSummary, ShiftFigures } from '../audit/ics-types.js';
import { figure, interval, NONE, percent, pValue, share, signed, whole } from './format.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** What the residual stream does along the direction; empty without one. */
export function icsSection(summary: Summary, style: Style): string {
  const { ics } = summary;
  if (ics === null) return '';
  return [
    title('Does the residual stream move along the direction?', style),
    shiftTable(ics, style),
    wrap(shiftWords(ics)),
    placeboWords(summary, ics, style),
    '',
    aurocTable(summary, ics, style),
    ...(ics.blocks.length === 0 ? [] : ['', blockTable(ics, style), wrap(BLOCKS)]),
    ...(summary.conditions.length < 2
      ? []
      : ['', domainTable(summary, ics, style), wrap(correlationWords(summary, ics))]),
  ].join('\n');
}

/** What stands instead of the verdict tables of a run that read none. */
export function noVerdictsSection(style: Style): string {
  const text =
    'None were read: with --ics-only every pass stops at the blocks of the direction. So there is no competence, no OCS, no ' +
    'accuracy, no margin, no agreement of readers, no test against chance and no LOW or HIGH here. Whether this judge does ' +
    'the task is not known from this run: audit it without --ics-only.';
  return [title('Verdicts', style), paint(wrap(text), 'warn', style)].join('\n');
}

const quotient = ({ quotient: found }: ShiftFigures): string =>
  found === null ? NONE : `${figure(found.value)} ${boundsOf(found)}`;

const boundsOf = ({ low, high }: { readonly low: number | null; readonly high: number | null }): string =>
  low === null || high === null ? '' : `[${figure(low)}, ${figure(high)}]`;

function shiftTable({ conditions }: IcsSummary, style: Style): string {
  return renderTable(
    {
      columns: [
        left('condition'),
        ...['n', 'mean |Δ|', 'ratio', 'controls', 'along/random', 'n visible', 'ratio', 'along/random'].map(
          right,
        ),
      ],
      rows: conditions.map(({ condition, all, visible }) => [
        condition,
        whole(all.n),
        figure(all.meanDelta),
        percent(all.ratio),
        percent(all.controlRatio),
        quotient(all),
        ...(condition === 'placebo'
          ? []
          : [
              whole(visible.n),
              percent(visible.ratio),
              visible.quotient === null ? NONE : figure(visible.quotient.value),
            ]),
      ]),
    },
    style,
  );
}

function shiftWords({ anchor, controls, baseline }: IcsSummary): string {
  const at = anchor === null ? '' : ` at block ${anchor}`;
  const random =
    controls === 0
      ? 'No random directions were projected on (--controls 0), so a shift along the direction cannot be told from any shift.'
      : `Controls: the same over ${whole(controls)} random directions, their mean baseline |projection| being ${figure(baseline.controlMeanAbs)}. ` +
        'Along/random: mean shift along the direction over mean shift along a random one of the same length, with a 95 % ' +
        'bootstrap interval over samples. 1: any direction would show as much. Above 1 is no proof of compliance: a direction ' +
        'made from prompts lies where prompts differ, even one that ranks no label; read it beside the AUROC.';
  return (
    `ICS${at}: baseline mean |ICS| ${figure(baseline.meanAbs)}, mean ${signed(baseline.ics.mean)}, sd ${figure(baseline.ics.sd)}, ` +
    `mean cosine ${signed(baseline.cosine.mean)}, mean residual norm ${figure(baseline.residualNorm.mean)} (n ${whole(baseline.ics.n)}). ` +
    `Ratio: mean |ICS(baseline) − ICS(condition)| over that mean |ICS|. ${random}`
  );
}

function placeboWords(
  { exactness }: Summary,
  { placebo: { pairs, moved } }: IcsSummary,
  style: Style,
): string {
  if (pairs === 0)
    return paint(
      wrap('No placebo row has ICS: what the instrument itself moves was not measured.'),
      'warn',
      style,
    );
  const counted = `the placebo moved in ${whole(moved)} of ${whole(pairs)} samples, over every block and every control`;
  if (exactness?.kind !== 'exact') return wrap(`Noise of the instrument: ${counted}.`);
  if (moved > 0) {
    const text = `The run was proven exact, so the placebo shift must be exactly 0, and yet ${counted}. Do not trust this run; see \`plumbline doctor\`.`;
    return paint(wrap(text), 'bad', style);
  }
  return paint(
    wrap(
      `Exact run: the placebo shift must be exactly 0, and it is; ${counted}. Every shift above is the text's.`,
    ),
    'good',
    style,
  );
}

function aurocTable({ icsOnly }: Summary, { auroc }: IcsSummary, style: Style): string {
  const row = (name: string, of: IcsAuroc): readonly Cell[] => [
    name,
    whole(of.n),
    share(of.value),
    interval(of),
  ];
  return renderTable(
    {
      columns: [left('AUROC of baseline ICS against'), right('n'), right('AUROC'), right('95 % interval')],
      rows: [
        row('the label', auroc.label),
        ...(icsOnly
          ? []
          : [
              row("the judge's verdict, text reader", auroc.text),
              row("the judge's verdict, logit reader", auroc.logit),
            ]),
      ],
    },
    style,
  );
}

const BLOCKS =
  'Every block of the direction file, each over its own mean baseline |ICS|; control: the same over the random directions. ' +
  'AUROC: baseline ICS against the label, over all samples here. Those that the direction was fitted on flatter it; the ' +
  'figure on unseen ones is what `fit` printed for TEST.';

function blockTable({ blocks, controls }: IcsSummary, style: Style): string {
  const [first] = blocks;
  const named = first?.conditions ?? [];
  const cells = (block: IcsBlock): readonly Cell[] =>
    block.conditions.flatMap(({ condition, ratio, controlRatio }) =>
      condition === 'placebo' || controls === 0 ? [percent(ratio)] : [percent(ratio), percent(controlRatio)],
    );
  return renderTable(
    {
      columns: [
        left('block'),
        right('AUROC'),
        ...named.flatMap(({ condition }) =>
          condition === 'placebo' || controls === 0
            ? [right(condition)]
            : [right(condition), right('control')],
        ),
      ],
      rows: blocks.map(block => {
        const row: readonly Cell[] = [
          `${block.layer}${block.anchor ? '  anchor' : ''}`,
          share(block.auroc),
          ...cells(block),
        ];
        return block.anchor ? row.map(cell => ({ text: String(cell), tone: 'bold' as const })) : row;
      }),
    },
    style,
  );
}

function domainTable({ icsOnly }: Summary, { domains }: IcsSummary, style: Style): string {
  const altering = domains[0]?.conditions ?? [];
  return renderTable(
    {
      columns: [
        left('domain'),
        right('n'),
        ...altering.map(({ condition }) => right(condition)),
        right('all'),
        ...(icsOnly ? [] : [right('OCS text'), right('OCS logit')]),
      ],
      rows: domains.map(({ domain, n, conditions, ratio, ocs }) => [
        printable(domain),
        whole(n),
        ...conditions.map(row => percent(row.ratio)),
        percent(ratio),
        ...(icsOnly ? [] : [share(ocs.text), share(ocs.logit)]),
      ]),
    },
    style,
  );
}

function correlationWords({ icsOnly }: Summary, { correlation }: IcsSummary): string {
  const shares =
    "Shifts over the run's mean baseline |ICS|; all: mean over samples of their mean over conditions.";
  if (icsOnly) return shares;
  const told = (['text', 'logit'] as const).map(reader => {
    const { n, rho, p } = correlation[reader];
    return rho === null
      ? `${reader} reader: none over ${whole(n)} domains (too few, or all alike)`
      : `${reader} reader: rho ${signed(rho)}, p ${pValue(p)} over ${whole(n)} domains`;
  });
  return `${shares} Rank correlation (Spearman) of a domain's OCS with its shift, ${told.join('; ')}.`;
}
