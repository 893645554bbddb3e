import type { Agreement } from '../../audit/analyze-types.js';
import type { IcsSummary, ShiftFigures } from '../../audit/ics-types.js';
import type { FitSummary } from '../../direction/provenance.js';
import { icsFigure } from '../figures/ics.js';
import { fitLayersFigure, runLayersFigure } from '../figures/layers.js';
import { type MarginRow, marginsFigure } from '../figures/margins.js';
import { CONDITION_SERIES } from '../figures/series.js';
import { figure, interval, NONE, percent, share, signed, whole } from '../format.js';
import { left, right } from '../table.js';
import { limit, tableBlock } from './blocks.js';
import { html } from './html.js';
import { figurePart, NOTHING, type Part, type Place, rowsOf, section, traced, words } from './part.js';

/** Margin shifts as distributions, and how far the two readers agree. */
export function marginSection(place: Place): Part {
  const { summary, shifts, name } = place.audit;
  const rows = shifts.flatMap((row): readonly MarginRow[] => {
    const found = summary.marginShifts.find(({ condition }) => condition === row.condition);
    return found === undefined ? [] : [{ ...row, moments: found.all }];
  });
  if (rows.length === 0) return NOTHING;
  const count = rows.reduce((sum, { n }) => sum + n, 0);
  const source = `From: npx plumbline analyze ${name}, column margin_shift of ${name}/derived.arrow; means at marginShifts of --json. Made of ${rowsOf(place, count, 'rows with a margin here and at baseline')}.`;
  const agreement = {
    columns: [left('do the two readers agree?'), ...['same/both', 'share', '95 % interval'].map(right)],
    rows: summary.agreement.map(row => [
      row.condition === 'pooled' ? 'all' : CONDITION_SERIES[row.condition].name,
      sameOf(row),
      percent(row.same.rate),
      interval(row.same),
    ]),
  };
  return section(place, 'margins', 'How far did the margin move?', [
    words(
      limit(
        'The margin is the log-probability of the compliant label minus that of the other. It moves before the verdict does, so it shows what flips cannot. A shift says that the wording reached the judge, not that it was understood.',
      ),
    ),
    figurePart(
      marginsFigure({ name: `${place.prefix}margins`, subject: summary.about.subject, source }, rows),
    ),
    words(
      tableBlock(
        agreement,
        traced(place, 'agreement', rowsOf(place, pooledRows(summary.agreement), 'evaluated rows')),
      ),
    ),
  ]);
}

function sameOf({ same }: Agreement): string {
  return `${whole(same.count)}/${whole(same.n)}`;
}

function pooledRows(agreement: readonly Agreement[]): number {
  return agreement.find(({ condition }) => condition === 'pooled')?.rows ?? 0;
}

/** ICS-delta beside control directions, and AUROC by block. */
export function icsSection(place: Place): Part {
  const { summary } = place.audit;
  const { ics } = summary;
  if (ics === null) return NOTHING;
  const source = traced(place, 'ics', rowsOf(place, summary.rows, 'rows, and controls.arrows beside them'));
  const { subject } = summary.about;
  // The first screen of a run without verdicts has shown it already.
  const shown = summary.icsOnly
    ? []
    : [figurePart(icsFigure({ name: `${place.prefix}stream`, subject, source }, ics))];
  return section(place, 'stream', 'Does the residual stream move along the direction?', [
    ...shown,
    words(html`${tableBlock(shiftTable(ics), source)}${limit(STREAM_LIMIT)}`),
    ...layerParts(place, ics),
  ]);
}

const STREAM_LIMIT =
  'A changed text moves the stream in every direction, so a shift says nothing by itself: it is read beside random directions, ' +
  'and only where the direction tells labels apart. A direction made from prompts lies where prompts differ, so above 1 is no ' +
  'proof either. A small shift does not mean that the rule is nowhere in the model: only that this direction, at the last token ' +
  'of this prompt, does not show it.';

function shiftTable({ conditions }: IcsSummary) {
  return {
    columns: [
      left('what was done'),
      ...['n', 'mean |Δ|', 'over mean |ICS|', 'random directions', 'along/random', '95 % interval'].map(
        right,
      ),
    ],
    rows: conditions.map(({ condition, all }) => [
      CONDITION_SERIES[condition].name,
      whole(all.n),
      figure(all.meanDelta),
      percent(all.ratio),
      percent(all.controlRatio),
      figure(all.quotient?.value ?? null),
      boundsOf(all),
    ]),
  };
}

function boundsOf({ quotient }: ShiftFigures): string {
  return quotient === null || quotient.low === null || quotient.high === null
    ? NONE
    : `[${figure(quotient.low)}, ${figure(quotient.high)}]`;
}

function layerParts(place: Place, ics: IcsSummary): readonly Part[] {
  const { fit, name, origin, summary } = place.audit;
  const { subject } = summary.about;
  const file = origin.direction?.name ?? '';
  const fitted =
    fit === null
      ? []
      : [
          figurePart(
            fitLayersFigure(
              {
                name: `${place.prefix}fit-layers`,
                subject,
                source: `From: what plumbline fit wrote into ${name}/direction/${file} (readDirection of the library gives it as provenance.fit). Made of the rows of the fit, ${fitRows(fit)}, not of those of this run.`,
              },
              fit,
            ),
          ),
          words(limit(FIT_LIMIT)),
        ];
  const known = ics.blocks.filter(({ auroc }) => auroc !== null);
  const run =
    known.length < 2
      ? []
      : [
          figurePart(
            runLayersFigure(
              {
                name: `${place.prefix}run-layers`,
                subject,
                source: traced(place, 'ics.blocks', rowsOf(place, ics.baseline.ics.n, 'baseline rows')),
              },
              known,
            ),
          ),
          words(
            limit(
              `Over all samples of the run, those that the direction was fitted on among them: they flatter it. AUROC at the anchor ${share(ics.auroc.label.value)} ${interval(ics.auroc.label)}; baseline ICS ${signed(ics.baseline.ics.mean)} on average.`,
            ),
          ),
        ];
  return [...fitted, ...run];
}

/** `TRAIN 32, VAL-LAYER 16, …`. */
function fitRows({ rows }: FitSummary): string {
  return Object.entries(rows)
    .map(([split, count]) => `${split} ${whole(count)}`)
    .join(', ');
}

const FIT_LIMIT =
  'The curve is on the rows that chose the block, so its highest point is too high by the choice. The fair figure is the one on ' +
  'TEST; the band is what random directions reach there when they go through the same choice. Labels that the wording of ' +
  'scenarios gives away are told apart without any rule.';
