import type { Effective, Gate } from '../gate/gates.js';
import type { Preset } from '../gate/presets.js';
import type { GateProbe } from '../gate/probe.js';
import { NONE, share } from './format.js';
import { left, paint, printable, renderTable, right, type Style, wrap } from './table.js';

/** `cosine >= .60`. */
export function boundaryText({ cosine, strict, vacuous }: Effective): string {
  if (vacuous === 'never') return 'never: no cosine is above the boundary';
  if (vacuous === 'always') return 'always: every cosine is above the boundary';
  return `cosine ${strict ? '> ' : '>='} ${number(cosine)}`;
}

function number(value: number): string {
  return Number.isInteger(value)
    ? value.toFixed(2)
    : share(Number(value.toFixed(6)), decimals(value)).replace(/^-0\./, '-.');
}

function decimals(value: number): number {
  const text = String(Number(value.toFixed(6)));
  return Math.max(2, text.length - text.indexOf('.') - 1);
}

/** What `gate presets` prints: each shipped gate and what its constant means. */
export function presetsText(
  presets: readonly (Preset & { readonly effective: Effective | null })[],
  style: Style,
): string {
  const table = renderTable(
    {
      columns: [left('preset'), left('shipped as'), left('the same when'), left('then')],
      rows: presets.map(({ name, gate, effective, action }) => [
        name,
        gate === null ? NONE : `${gate.metric} ${gate.comparison} ${gate.threshold}`,
        effective === null ? NONE : boundaryText(effective),
        action,
      ]),
    },
    style,
  );
  const remarks = presets.flatMap(({ name, remark }) =>
    remark === null ? [] : [wrap(`${name}: ${remark}`)],
  );
  return [table, '', ...remarks].join('\n');
}

/** What `gate effective` prints: the boundary, and the vectors that prove it. */
export function effectiveText(gate: Gate, probe: GateProbe, style: Style): string {
  const table = renderTable(
    {
      columns: [right('cosine of the vectors'), right(gate.metric), left('taken as'), left('expected')],
      rows: probe.points.map(({ cosine, value, approved, expected }) => [
        cosine.toFixed(6),
        value.toFixed(6),
        { text: approved ? 'same' : 'different', tone: approved === expected ? 'plain' : 'bad' },
        expected ? 'same' : 'different',
      ]),
    },
    style,
  );
  return [
    wrap(
      `${printable(gate.name)}: ${gate.metric} ${gate.comparison} ${gate.threshold} is ${boundaryText(probe.effective)}; then: ${printable(gate.action)}`,
    ),
    paint(
      probe.proven ? '  proven on vectors:' : '  NOT proven on vectors:',
      probe.proven ? 'good' : 'bad',
      style,
    ),
    table,
  ].join('\n');
}
