import type { FitReport } from '../api/fit.js';
import { share, whole } from './format.js';
import { left, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** A word floor at or above this gives the label away too well to trust a direction fitted on it. */
const SUSPECT_FLOOR = 0.75;

/** One of twenty random directions does at least this well: then AUROC has no room to tell a fitted one apart. */
const CROWDED = 0.9;

/** Random directions tell the classes apart nearly as well as any direction could. */
export function isCrowded({ upper }: FitReport['fit']['null']): boolean {
  return upper.q95 >= CROWDED;
}

/** What `fit` prints: layers, the chosen one against chance, and what the scenario alone would give. */
export function fitText(report: FitReport, style: Style): string {
  const { fit, scenarioOnly, wordFloor } = report;
  const { counts, test } = fit;
  const layers = renderTable(
    {
      columns: [
        left('block'),
        right('AUROC on VAL-LAYER'),
        right('distance of means'),
        right('residual norm'),
        right('sd of ICS'),
      ],
      rows: fit.layers.map(layer => [
        layer.layer === fit.anchor
          ? { text: `${layer.layer}  anchor`, tone: 'bold' as const }
          : `${layer.layer}`,
        share(layer.valLayerAuroc),
        layer.distance.toFixed(3),
        layer.residualNorm.toFixed(2),
        layer.icsSd.toFixed(3),
      ]),
    },
    style,
  );
  const null_ = fit.null;
  const lines = [
    ...(report.tooLong.ids.length === 0 ? [] : [tooLongText(report), '']),
    title(`Compliance direction of ${printable(report.model)}`, style),
    wrap(
      `contrast: ${report.contrast}; TRAIN ${whole(counts.TRAIN)}, VAL-LAYER ${whole(counts['VAL-LAYER'])}, VAL-THRESH ${whole(counts['VAL-THRESH'])}, TEST ${whole(counts.TEST)}; ` +
        `${fit.pairs.map(domain => `${printable(domain.domain)} ${domain.compliant.length}`).join(', ')} pairs of TRAIN make the direction`,
    ),
    '',
    layers,
    '',
    wrap(
      `Block ${fit.anchor} on TEST: AUROC ${share(test.auroc)} [${share(test.interval.low)}, ${share(test.interval.high)}], accuracy ${share(test.accuracy)} at threshold ${fit.threshold.toFixed(4)}.`,
    ),
    wrap(
      `Random directions through the same layer search reach ${share(null_.mean)} on average, ${share(null_.upper.q95)} in one of twenty draws, ${share(null_.upper.max)} at most (${whole(null_.draws)} draws). ` +
        `The fitted one stands at quantile ${share(null_.quantile)}, p ${null_.p.toFixed(4)}.`,
    ),
  ];
  if (null_.p > 0.05) {
    lines.push(
      wrap(
        isCrowded(null_)
          ? 'Nearly every direction tells the classes apart here: the verdict fills the residual stream, so AUROC cannot single one out. Read ICS-delta beside that of random directions (audit --direction, then analyze), and blocks where random ones are near .5.'
          : 'This is not above what random directions give: do not read ICS along it. More pairs (--pairs) or samples (--per-domain) may help.',
      ),
    );
  }
  if (scenarioOnly !== null) {
    lines.push(
      wrap(
        `Without the rule in the prompt the same direction reaches ${share(scenarioOnly.auroc)} [${share(scenarioOnly.interval.low)}, ${share(scenarioOnly.interval.high)}] on the same ${whole(scenarioOnly.rows)} samples: ${scenarioOnly.auroc > 0.5 ? "that much is the scenario's wording" : 'the wording of the scenario alone gives nothing'}.`,
      ),
    );
  }
  if (wordFloor !== null) {
    lines.push(wrap(`The words of the scenario alone predict ${share(wordFloor)} of these labels.`));
    if (wordFloor >= SUSPECT_FLOOR && report.contrast === 'label') {
      lines.push(
        wrap(
          'The labels are given away by the wording, so the direction may be one of wording, and the layer that tells it best may hide one of the rule. ' +
            'Use --contrast rule on a crossed corpus, and read every layer, not the chosen one alone.',
        ),
      );
    }
  }
  for (const [domain, alone] of report.perDomain) {
    lines.push(
      typeof alone === 'string'
        ? wrap(`${printable(domain)}: ${alone}`)
        : wrap(
            `${printable(domain)} alone: block ${alone.anchor}, TEST AUROC ${share(alone.test.auroc)} [${share(alone.test.interval.low)}, ${share(alone.test.interval.high)}], quantile ${share(alone.null.quantile)}`,
          ),
    );
  }
  return lines.join('\n');
}

/** Ids of left-out samples that are named; of more, the first. */
const NAMED = 10;

/** What was left out of a fit, by name. */
export function tooLongText({ tooLong: { ids, partners, limit } }: FitReport): string {
  const more = ids.length > NAMED ? ` and ${whole(ids.length - NAMED)} more` : '';
  const named = ids.slice(0, NAMED).map(printable).join(', ');
  const were = ids.length === 1 ? 'sample was' : 'samples were';
  const also = partners === 0 ? '' : `; and with them ${whole(partners)} of the same scenarios`;
  return wrap(
    `${whole(ids.length)} ${were} left out of the fit, because their prompts do not fit into ${whole(limit)} tokens with an answer: ` +
      `${named}${more}${also}. A larger --ctx, or a model trained for longer texts, takes them in.`,
    undefined,
    '',
  );
}
