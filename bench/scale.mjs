// The table of docs/scale.md, from the assumptions that stand there: node bench/scale.mjs
const EVALUATIONS = 12_897;
const PROMPT = 600;
const SHARING = 1.32;
const GENERATED = 20;
const CORE = 265e9;
const GPU = 40e12;
const BITS = 4.5;
const CELLS = 1024;
const KV_VALUES = 8 * (128 + 128);
const HOUR = 3600;

const columns = ['tokens e6', 'core hours', 'GPU hours', 'weights GB', 'MB per stream'];
console.log(['model', ...columns].join('\t'));
for (const { billions, blocks } of [
  { billions: 8, blocks: 32 },
  { billions: 70, blocks: 80 },
]) {
  const tokens = EVALUATIONS * (PROMPT / SHARING + GENERATED);
  const operations = 2e9 * billions * tokens;
  const row = [
    (tokens / 1e6).toFixed(1),
    (operations / CORE / HOUR).toFixed(0),
    (operations / GPU / HOUR).toFixed(1),
    ((billions * BITS) / 8).toFixed(1),
    ((CELLS * blocks * KV_VALUES * 2) / 1e6).toFixed(0),
  ];
  console.log([`${billions}B`, ...row].join('\t'));
}
