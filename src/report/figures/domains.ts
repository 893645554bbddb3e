import type { Rate, Summary } from '../../audit/analyze-types.js';
import { percent } from '../format.js';
import type { Dash } from './legend.js';
import type { Role } from './palette.js';
import { drawRows, type PlotGroup, type Reference, type RowMark, type Series } from './rows-plot.js';
import { CONDITION_SERIES, FLOOR, percentTick } from './series.js';
import { drawn } from './svg.js';
import type { Figure, Value } from './types.js';

/** OCS of each altering condition in each domain, against the placebo and against unrelated verdicts. */
export function ocsDomainsFigure(name: string, summary: Summary, source: string): Figure {
  const reader = summary.readers[summary.primary];
  const altering = reader.ocs.flatMap(({ measure, domains }) =>
    measure === 'placebo' || measure === 'agg' ? [] : [{ series: CONDITION_SERIES[measure], domains }],
  );
  const placebo = reader.ocs.find(({ measure }) => measure === 'placebo')?.pooled.all.rate ?? null;
  const independent = reader.independence.find(({ condition }) => condition === 'pooled')?.expected ?? null;
  const rates = summary.domains.map(({ domain }) => ({
    domain,
    of: altering.map(({ series, domains }) => ({
      series,
      rate: domains.find(row => row.domain === domain)?.all ?? null,
    })),
  }));
  return domainsFigure({
    name,
    title: `Changed verdicts in each domain: ${summary.about.subject}`,
    rates,
    extra: () => [],
    references: [
      ...reference('noise floor (placebo)', placebo, 'placebo', 'dotted'),
      ...reference('unrelated verdicts', independent, 'quiet', 'dashed'),
    ],
    source,
  });
}

/** Accuracy with the rule and without it in each domain, beside a floor that never sees the rule. */
export function accuracyDomainsFigure(name: string, summary: Summary, source: string): Figure {
  const reader = summary.readers[summary.primary];
  const shown = reader.accuracy.filter(({ condition }) => condition === 'baseline' || condition === 'delete');
  const rates = summary.domains.map(({ domain }) => ({
    domain,
    of: shown.map(({ condition, domains }) => ({
      series: CONDITION_SERIES[condition],
      rate: domains.find(row => row.domain === domain) ?? null,
    })),
  }));
  const floors = new Map(summary.domains.map(({ domain, lexicalFloor }) => [domain, lexicalFloor]));
  return domainsFigure({
    name,
    title: `Right verdicts in each domain: ${summary.about.subject}`,
    rates,
    extra: domain => {
      const value = floors.get(domain) ?? null;
      return value === null ? [] : [{ series: FLOOR, value, low: null, high: null }];
    },
    references: reference('always the same answer', reader.competence.chance, 'quiet', 'dashed'),
    source,
  });
}

interface DomainRates {
  readonly domain: string;
  readonly of: readonly { readonly series: Series; readonly rate: Rate | null }[];
}

function domainsFigure(of: {
  readonly name: string;
  readonly title: string;
  readonly rates: readonly DomainRates[];
  readonly extra: (domain: string) => readonly RowMark[];
  readonly references: readonly Reference[];
  readonly source: string;
}): Figure {
  const { name, title, rates, extra, references, source } = of;
  const rows = rates.map(({ domain, of }) => ({
    label: domain,
    note: '',
    marks: [
      ...of.flatMap(({ series, rate }) =>
        rate === null || rate.rate === null
          ? []
          : [{ series, value: rate.rate, low: rate.low, high: rate.high }],
      ),
      ...extra(domain),
    ],
  }));
  const alt = rows
    .map(
      ({ label, marks }) =>
        `${label}: ${marks.map(({ series, value }) => `${series.name} ${percent(value)}`).join(', ') || 'none'}`,
    )
    .join('; ');
  const groups: readonly PlotGroup[] = [{ title: null, rows, references }];
  const plot = {
    groups,
    domain: [0, 1] as const,
    format: percentTick,
    axis: 'share of verdicts, with 95 % intervals',
  };
  const counts = new Map(
    rates.flatMap(({ domain, of }) => of.map(row => [`${domain}|${row.series.name}`, row.rate])),
  );
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) => drawRows(plot, width, layout)),
    columns: ['domain', 'what', 'share', 'low', 'high', 'n'],
    rows: [
      ...rows.flatMap(({ label, marks }) =>
        marks.map(({ series, value, low, high }): readonly Value[] => [
          label,
          series.name,
          value,
          low,
          high,
          counts.get(`${label}|${series.name}`)?.n ?? null,
        ]),
      ),
      ...references.map((line): readonly Value[] => ['all', line.name, line.value, null, null, null]),
    ],
    source,
  };
}

function reference(name: string, value: number | null, role: Role, dash: Dash): readonly Reference[] {
  return value === null ? [] : [{ name, value, role, dash }];
}
