import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shared } from '../shared.js';

export interface GoldTask {
  readonly cell_mean: Readonly<Record<'A' | 'B' | 'C' | 'D', number>>;
  readonly decision_auroc: Readonly<Record<'CLOSE' | 'DISTANT' | 'stratified' | 'pooled', number>>;
  readonly lexical_auroc: Readonly<Record<string, number>>;
  readonly naive_confounded_auroc: number;
  readonly reversal_moves_more: Readonly<Record<'CLOSE' | 'DISTANT', boolean>>;
  readonly decision_ci95: Readonly<Record<'CLOSE' | 'DISTANT', readonly [number, number]>>;
  readonly one_threshold_deployed_direction: Readonly<
    Record<'single' | 'CLOSE' | 'DISTANT', GoldThreshold>
  > & {
    readonly mean_per_stratum: number;
    readonly cost: number;
    readonly spread_first_midpoint: number;
  };
  readonly shipped: readonly {
    readonly t: number;
    readonly ba: number;
    readonly tpr: number;
    readonly tnr: number;
    readonly approved_reversals_CLOSE: number;
    readonly approved_reversals: number;
    readonly missed_restatements_DISTANT: number;
  }[];
}

interface GoldThreshold {
  readonly ba: number;
  readonly intervals: readonly (readonly [number | null, number | null])[];
  readonly first_midpoint: number;
}

export interface GoldRepair {
  readonly n: number;
  readonly I1: Readonly<
    Record<'threshold' | 'in_sample_ba' | 'loao_ba' | 'loao_catch' | 'loao_false_alarm', number>
  >;
  readonly I2: Readonly<Record<'in_sample_ba' | 'in_sample_auroc' | 'loao_ba' | 'loao_auroc', number>> & {
    readonly weights_bias_cos_jac: readonly [number, number, number];
    readonly mean: readonly [number, number];
    readonly std: readonly [number, number];
  };
}

export interface Gold {
  readonly encoders: Readonly<Record<string, Readonly<Record<'distinctness' | 'constraint', GoldTask>>>>;
  readonly pairs: readonly { readonly id: string; readonly cos: Readonly<Record<string, number>> }[];
  readonly repairs: Readonly<
    Record<
      string,
      Readonly<Record<'both' | 'distinctness' | 'constraint', GoldRepair>> & {
        readonly transfer: Readonly<Record<string, Readonly<Record<'I1' | 'I2', number>>>>;
      }
    >
  >;
}

/** The oracle's values and the published corpus, or null where they are not at hand. */
export function gold(): { readonly values: Gold; readonly corpus: string } | null {
  const [folder, corpus] = [shared('gold', 'gate'), shared('data', 'polaritycheck')];
  if (folder === null || corpus === null) return null;
  return {
    values: JSON.parse(readFileSync(join(folder, 'gold.json'), 'utf8')) as Gold,
    corpus: `polaritycheck:${corpus}`,
  };
}
