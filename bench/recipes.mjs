/**
 * What one token costs by recipe and prompt length: CPU time on one thread, interleaved, against flash attention with
 * one prompt per decode.
 *   node bench/recipes.mjs MODEL [ROUNDS]
 */
import { openLibrary } from '../dist/engine/library.js';

const LENGTHS = [128, 256, 512, 1024];
const SHAPES = [
  { name: 'flash', flash: true, streams: 1, most: Number.POSITIVE_INFINITY },
  { name: 'rowwise', flash: true, streams: 8, most: 60 },
  { name: 'plain', flash: false, streams: 4, most: 128 },
];

const [file, rounds = '3'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node bench/recipes.mjs MODEL [ROUNDS]');
  process.exit(2);
}
const { binding } = openLibrary('cpu');
const model = await binding.loadModel(file, 0, false, () => {});
const { nVocab } = binding.modelInfo(model);

/** CPU microseconds per token of one prompt of this length on every stream, in pieces. */
async function measure({ flash, streams, most }, total) {
  const piece = Math.min(most, total);
  const context = await binding.createContext(
    model,
    streams,
    total + 256,
    streams * piece,
    4 * streams,
    1,
    flash,
    false,
  );
  const began = process.cpuUsage();
  for (let at = 0; at < total; at += piece)
    await binding.decode(context, request(streams, at, Math.min(piece, total - at)));
  const { user, system } = process.cpuUsage(began);
  binding.disposeContext(context);
  return (user + system) / total / streams;
}

function request(streams, at, length) {
  const size = streams * length;
  const row = Array.from({ length: size }, (_, i) => ({
    stream: Math.floor(i / length),
    step: at + (i % length),
  }));
  return {
    tokens: Int32Array.from(row, ({ stream, step }) => (31 * stream + 7919 * step + 3) % nVocab),
    positions: Int32Array.from(row, ({ step }) => step),
    sequences: Int32Array.from(row, ({ stream }) => stream),
    outputs: Int8Array.from(row, ({ step }) => (step >= at + length - 4 ? 1 : 0)),
    wantRows: new Int32Array(),
    wantTokens: new Int32Array(),
    taps: [],
    stopAfterTaps: false,
    keepRows: new Int32Array(),
  };
}

const median = values => values.toSorted((a, b) => a - b)[values.length >> 1];
console.log(`tokens ${SHAPES.map(({ name }) => name.padStart(9)).join('')}   (1 = flash)`);
for (const total of LENGTHS) {
  const times = SHAPES.map(() => []);
  await measure(SHAPES[0], total);
  for (let round = 0; round < Number(rounds); round++)
    for (const [i, shape] of SHAPES.entries()) times[i].push(await measure(shape, total));
  const [base] = times.map(median);
  console.log(
    `${String(total).padStart(6)} ${times.map(all => (median(all) / base).toFixed(2).padStart(9)).join('')}`,
  );
}
