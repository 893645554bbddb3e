import type { ModelCalibration } from '../api/calibrate.js';
import { type CalibrationCheck, FIGURES, figureText } from '../audit/calibrate.js';
import { NONE } from './format.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

const BLOCK = /^(.*\.block)(\d+)$/;
const number = (value: number | null): string =>
  value === null ? NONE : Number.isInteger(value) ? String(value) : value.toFixed(3);
const range = ({ low, high }: CalibrationCheck): string => `[${low}, ${high}]`;
const result = (pass: boolean): Cell =>
  pass ? { text: 'pass', tone: 'good' } : { text: 'FAIL', tone: 'bad' };

/** What is planted in one model, what was read, and where it should lie. */
export function modelCalibrationText(calibration: ModelCalibration, style: Style): string {
  const { model, planted, checks, pass } = calibration;
  const figures = renderTable(
    {
      columns: [left('figure'), right('read'), right('expected'), left('')],
      rows: checks
        .filter(({ figure }) => !BLOCK.test(figure))
        .map(check => [figureText(check.figure), number(check.value), range(check), result(check.pass)]),
    },
    style,
  );
  const verdict = paint(pass ? 'pass' : 'FAIL', pass ? 'good' : 'bad', style);
  return [
    `${title(printable(model), style)}  ${verdict}`,
    wrap(`Planted: ${printable(planted)}`),
    figures,
    '',
    blockTable(checks, style),
    '',
  ].join('\n');
}

/** One row for each block, one column for each figure of blocks. */
function blockTable(checks: readonly CalibrationCheck[], style: Style): string {
  const cells = new Map(checks.map(check => [check.figure, check]));
  const names = checks.flatMap(({ figure }) => BLOCK.exec(figure)?.slice(1) ?? []);
  const figures = [...new Set(names.filter((_, i) => i % 2 === 0))];
  const blocks = [...new Set(names.filter((_, i) => i % 2 === 1).map(Number))].sort((a, b) => a - b);
  const cell = (figure: string): Cell => {
    const check = cells.get(figure);
    if (check === undefined) return '';
    const text = `${number(check.value)} ${range(check)}`;
    return check.pass ? text : { text: `${text} FAIL`, tone: 'bad' };
  };
  const header = (name: string): string => FIGURES[name as keyof typeof FIGURES];
  return renderTable(
    {
      columns: [left('block'), ...figures.map(name => left(header(name)))],
      rows: blocks.map(block => [String(block), ...figures.map(name => cell(`${name}${block}`))]),
    },
    style,
  );
}

/** The last line. */
export function calibrationClosing(results: readonly ModelCalibration[], style: Style): string {
  const checks = results.flatMap(result => result.checks);
  const failed = checks.filter(check => !check.pass).length;
  const about = `${results.length} model(s), ${checks.length} figures, seed ${results[0]?.seed ?? NONE}`;
  return failed === 0
    ? paint(`The instrument reads what is planted: ${about}, all inside their intervals.`, 'good', style)
    : paint(`FAIL: ${failed} figure(s) outside their intervals; ${about}.`, 'bad', style);
}
