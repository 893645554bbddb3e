import { Table, tableToIPC } from 'apache-arrow';
import { csvField } from '../csv.js';
import { bool, type Columns, float64, int32, orNull, required, text } from '../run/columns.js';
import { schemaOf, type TableFormat, toBatch } from '../run/schema.js';
import type { DomainFeatures } from './domains.js';
import { FEATURES, type Features, ODDITIES, type Oddities, type RuleFeatures } from './rules.js';

/** How the numbers came about: each is comparable only with one of the same method. */
export interface Methods {
  /** null: there was no parser. */
  readonly mdd: string | null;
  readonly fkgl: string;
}

interface MethodColumns {
  readonly mddMethod: string | null;
  readonly fkglMethod: string;
}

type RuleRow = RuleFeatures & MethodColumns;

/** One feature takes three columns: ecd, ecd_caseweighted, ecd_rules; an oddity one, rules with it. */
type DomainRow = MethodColumns & {
  readonly domain: string;
  readonly rules: number;
  readonly cases: number;
} & {
  readonly [K in keyof Features as K | `${K}Caseweighted`]: number | null;
} & { readonly [K in keyof Features as `${K}Rules`]: number } & Readonly<Record<keyof Oddities, number>>;

const methodColumns: Columns<MethodColumns> = { mddMethod: orNull(text), fkglMethod: required(text) };

const ruleColumns: Columns<RuleRow> = {
  domain: required(text),
  ruleId: required(text),
  cases: required(int32),
  ...each(FEATURES, () => orNull(float64)),
  words: required(int32),
  exceptions: required(int32),
  mandatoryModals: required(int32),
  modals: required(int32),
  ...each(ODDITIES, () => required(bool)),
  ...methodColumns,
};

const domainColumns = {
  domain: required(text),
  rules: required(int32),
  cases: required(int32),
  ...Object.fromEntries(
    FEATURES.flatMap(feature => [
      [feature, orNull(float64)],
      [`${feature}Caseweighted`, orNull(float64)],
      [`${feature}Rules`, required(int32)],
    ]),
  ),
  ...each(ODDITIES, () => required(int32)),
  ...methodColumns,
} as unknown as Columns<DomainRow>;

const RULES = tableFormat('features by rule', ruleColumns);
const DOMAINS = tableFormat('features by domain', domainColumns);

/** The rows of rules as an Arrow IPC file, or as CSV with a header. */
export function ruleFile(
  kind: 'arrow' | 'csv',
  rules: readonly RuleFeatures[],
  methods: Methods,
): Uint8Array {
  const columns = columnsFor(methods);
  return fileOf(
    kind,
    RULES,
    rules.map(rule => ({ ...rule, ...columns })),
  );
}

/** The rows of domains, likewise. */
export function domainFile(
  kind: 'arrow' | 'csv',
  domains: readonly DomainFeatures[],
  methods: Methods,
): Uint8Array {
  const rows = domains.map(({ domain, rules, cases, features, oddities }) => ({
    domain,
    rules,
    cases,
    ...Object.fromEntries(
      FEATURES.flatMap(feature => [
        [feature, features[feature].mean],
        [`${feature}Caseweighted`, features[feature].caseWeighted],
        [`${feature}Rules`, features[feature].rules],
      ]),
    ),
    ...oddities,
    ...columnsFor(methods),
  }));
  return fileOf(kind, DOMAINS, rows as unknown as readonly DomainRow[]);
}

function tableFormat<T>(file: string, columns: Columns<T>): TableFormat<T> {
  return Object.freeze({ file, columns, schema: schemaOf(columns) });
}

function columnsFor({ mdd, fkgl }: Methods): MethodColumns {
  return { mddMethod: mdd, fkglMethod: fkgl };
}

function each<K extends string, V>(keys: readonly K[], of: () => V): Readonly<Record<K, V>> {
  return Object.fromEntries(keys.map(key => [key, of()])) as Record<K, V>;
}

/** A number as a text file has it: 12 digits, so that 2.88 does not come out as 2.8799999999999990. Arrow keeps all bits. */
export function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}

function fileOf<T>(kind: 'arrow' | 'csv', format: TableFormat<T>, rows: readonly T[]): Uint8Array {
  if (kind === 'arrow') return tableToIPC(new Table([toBatch(format, rows)]), 'file');
  const header = format.schema.fields.map(({ name }) => name).join(',');
  const lines = rows.map(row =>
    (Object.keys(format.columns) as (keyof T)[]).map(property => csvField(rounded(row[property]))).join(','),
  );
  return Buffer.from(`${[header, ...lines].join('\n')}\n`, 'utf8');
}
