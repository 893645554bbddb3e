import type { FeaturesOcs, TestedFeature } from '../../audit/features-ocs.js';
import { FEATURE_NAMES } from '../features-ocs-text.js';
import { signed } from '../format.js';
import { type Html, html } from '../page/html.js';
import { printable } from '../table.js';
import { linear, niceDomain } from './scale.js';
import { percentTick } from './series.js';
import { drawn, line, text } from './svg.js';
import type { Drawing, Figure, Layout } from './types.js';

const COLUMNS: Readonly<Record<Layout, number>> = { wide: 3, narrow: 2 };
const LEFT = 46;
const GAP = 14;
const HEAD = 30;
const PLOT = 120;
const FOOT = 30;

/** A small plot for each text feature: a dot is a domain, at its mean of the feature and its OCS. */
export function featuresFigure(
  of: { readonly name: string; readonly subject: string; readonly source: string },
  found: FeaturesOcs,
): Figure {
  const { name, source } = of;
  const title = `Text of the rules against changed verdicts, a dot for each domain: ${of.subject}`;
  const alt = found.features
    .map(feature => `${FEATURE_NAMES[feature]}: rank correlation ${signed(rhoOf(found, feature))}`)
    .join('; ');
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) => draw(found, width, layout)),
    columns: ['domain', 'ocs', ...found.features],
    rows: found.domains.map(({ domain, ocs, features }) => [
      domain,
      ocs,
      ...found.features.map(feature => features[feature]),
    ]),
    source,
  };
}

function rhoOf({ outcomes }: FeaturesOcs, feature: TestedFeature): number | null {
  const tested = outcomes.find(({ outcome }) => outcome === 'ocs')?.tested;
  return tested?.correlations.find(row => row.feature === feature)?.rho ?? null;
}

function draw(found: FeaturesOcs, width: number, layout: Layout): Drawing {
  const columns = COLUMNS[layout];
  const cell = (width - LEFT - GAP * (columns - 1) - 6) / columns;
  const values = found.domains.flatMap(({ ocs }) => ocs ?? []);
  const domain = niceDomain([0, ...values], 4);
  const rows = Math.ceil(found.features.length / columns);
  const plots = found.features.map((feature, i): Html => {
    const left = LEFT + (i % columns) * (cell + GAP);
    const top = Math.floor(i / columns) * (HEAD + PLOT + FOOT) + HEAD;
    return plot(found, feature, { left, top, right: left + cell, first: i % columns === 0 }, domain);
  });
  const height = rows * (HEAD + PLOT + FOOT) + 20;
  const name = text(
    LEFT,
    height - 8,
    'mean of the feature in the domain; upwards: share of changed verdicts',
    {
      role: 'quiet',
      size: layout === 'wide' ? 12 : 10.5,
    },
  );
  return { height, marks: html`${plots}${name}` };
}

function plot(
  found: FeaturesOcs,
  feature: TestedFeature,
  at: { readonly left: number; readonly right: number; readonly top: number; readonly first: boolean },
  domain: readonly [number, number],
): Html {
  const { left, right, top, first } = at;
  const bottom = top + PLOT;
  const points = found.domains.flatMap(({ domain, ocs, features }) => {
    const value = features[feature];
    return ocs === null || value === null ? [] : [{ domain, ocs, value }];
  });
  const x = linear(
    niceDomain(
      points.map(({ value }) => value),
      3,
    ),
    [left + 10, right - 10],
    3,
  );
  const y = linear(domain, [bottom, top], 4);
  const grid = y.ticks.map(
    tick =>
      html`${line([left, y.at(tick)], [right, y.at(tick)], 'line')}${first ? text(left - 6, y.at(tick) + 4, percentTick(tick), { anchor: 'end', role: 'quiet', size: 12 }) : null}`,
  );
  const ticks = x.ticks.map(tick =>
    text(x.at(tick), bottom + 15, String(tick), { anchor: 'middle', role: 'quiet', size: 11 }),
  );
  const dots = points.map(
    ({ domain, ocs, value }) =>
      html`<circle cx="${x.at(value)}" cy="${y.at(ocs)}" r="5" class="f-delete halo" fill-opacity="0.8" stroke-width="1"><title>${printable(domain)}</title></circle>`,
  );
  const rho = rhoOf(found, feature);
  const head = `${FEATURE_NAMES[feature]}${rho === null ? '' : `, rho ${signed(rho)}`}`;
  return html`${text(left, top - 10, head, { bold: true, size: 12 })}${grid}${ticks}${dots}`;
}
