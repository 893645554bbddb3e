import type { Rate } from '../../audit/analyze-types.js';
import { percent } from '../format.js';
import { drawRows, type RowMark, type Series } from './rows-plot.js';
import { FLOOR, percentTick } from './series.js';
import { drawn } from './svg.js';
import type { Figure } from './types.js';

/** A judge as the first picture of several shows it. */
export interface Judge {
  readonly label: string;
  readonly accuracy: Rate;
  /** Mean over samples of OCS per sample. */
  readonly ocs: Rate;
  readonly lexicalFloor: number | null;
}

const RIGHT: Series = { name: 'right verdicts', role: 'ink', shape: 'circle' };
const CHANGED: Series = {
  name: 'verdicts that change with the rule (OCS)',
  role: 'delete',
  shape: 'diamond',
};

/** Accuracy beside rule dependence, a row for each judge. */
export function judgesFigure(name: string, judges: readonly Judge[], source: string): Figure {
  const title = 'How often each judge is right, and how often its verdict depends on the rule';
  const alt = judges
    .map(
      ({ label, accuracy, ocs }) => `${label}: right in ${percent(accuracy.rate)}, OCS ${percent(ocs.rate)}`,
    )
    .join('; ');
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) =>
      drawRows(
        {
          groups: [
            {
              title: null,
              references: [],
              rows: judges.map(({ label, accuracy, ocs, lexicalFloor }) => ({
                label,
                note: '',
                marks: [
                  ...marksOf(RIGHT, accuracy),
                  ...marksOf(CHANGED, ocs),
                  ...(lexicalFloor === null
                    ? []
                    : [{ series: FLOOR, value: lexicalFloor, low: null, high: null }]),
                ],
              })),
            },
          ],
          domain: [0, 1],
          format: percentTick,
          axis: 'share of verdicts, with 95 % intervals',
        },
        width,
        layout,
      ),
    ),
    columns: ['judge', 'accuracy', 'accuracy_low', 'accuracy_high', 'ocs', 'ocs_low', 'ocs_high', 'floor'],
    rows: judges.map(({ label, accuracy, ocs, lexicalFloor }) => [
      label,
      accuracy.rate,
      accuracy.low,
      accuracy.high,
      ocs.rate,
      ocs.low,
      ocs.high,
      lexicalFloor,
    ]),
    source,
  };
}

function marksOf(series: Series, { rate, low, high }: Rate): readonly RowMark[] {
  return rate === null ? [] : [{ series, value: rate, low, high }];
}
