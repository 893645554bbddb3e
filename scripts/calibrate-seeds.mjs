/**
 * Measures the reference models with many sampling seeds, and prints the range of every figure beside its interval:
 *   node scripts/calibrate-seeds.mjs
 *   node scripts/calibrate-seeds.mjs 5 reader natural
 * The first argument is the number of seeds (20), the rest are models (all). One model and seed take about ten CPU
 * seconds. It needs the compiled program: npm run setup. Ends with 1 when a figure lies outside its interval.
 */
import { gatherEvidence, referenceModels } from '../dist/api/calibrate.js';
import { calibrationFigures, judgeFigures } from '../dist/audit/calibrate.js';

const [count = '20', ...names] = process.argv.slice(2);
const models = (names.length === 0 ? [null] : names).flatMap(name => referenceModels(name));
const number = value =>
  value === null ? 'none' : Number.isInteger(value) ? String(value) : value.toFixed(4);

let failed = 0;
for (const model of models) {
  /** The values of each figure, a seed each. */
  const values = new Map();
  for (let seed = 1; seed <= Number(count); seed++) {
    const figures = calibrationFigures(await gatherEvidence(model, seed), model.known);
    for (const [figure, value] of figures) values.set(figure, [...(values.get(figure) ?? []), value]);
    for (const { figure, value, low, high, pass } of judgeFigures(figures, model.intervals)) {
      if (pass) continue;
      failed++;
      console.log(`${model.name}, seed ${seed}: ${figure} ${number(value)} is not in [${low}, ${high}]`);
    }
  }
  console.log(`${model.name}: ${count} seeds`);
  for (const [figure, all] of values) {
    const some = all.filter(value => value !== null);
    const [low, high] = model.intervals[figure] ?? ['', ''];
    const range = some.length === 0 ? 'none' : `${number(Math.min(...some))} to ${number(Math.max(...some))}`;
    console.log(
      `  ${figure.padEnd(20)} ${range.padEnd(24)} ${low === '' ? '' : `[${low}, ${high}]`}`.trimEnd(),
    );
  }
}
console.log(
  failed === 0 ? 'Every figure lies in its interval.' : `${failed} figures lie outside their intervals.`,
);
process.exitCode = failed === 0 ? 0 : 1;
