/**
 * The benchmark: npm run bench -- [--peers] [--only NAMES] [--as FORMAT] [--write-docs NAME] [options of `plumbline bench`]
 *
 * Without options of its own it is `plumbline bench`. `--peers` runs the programs of bench/peers in the same rounds, `--as`
 * measures a copy of the model in another format, `--write-docs NAME` replaces the section NAME of docs/benchmarks.md.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bench } from '../dist/api/bench/run.js';
import { referenceFile } from '../dist/api/reference.js';
import { packageRoot } from '../dist/engine/package-root.js';
import { benchMarkdown } from '../dist/report/bench-markdown.js';
import { benchText } from '../dist/report/bench-text.js';
import { replaceSection } from './docs.mjs';
import { copyOf, openOthers } from './others.mjs';

const OWN = ['--peers', '--only', '--as', '--write-docs'];
const args = process.argv.slice(2);
if (!args.some(arg => OWN.some(own => arg === own || arg.startsWith(`${own}=`)))) {
  const cli = join(packageRoot(), 'dist', 'cli', 'main.js');
  const { status } = spawnSync(process.execPath, [cli, 'bench', ...args], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

const { values } = parseArgs({
  args,
  options: {
    peers: { type: 'boolean', default: false },
    only: { type: 'string' },
    as: { type: 'string' },
    'write-docs': { type: 'string' },
    model: { type: 'string', default: referenceFile('reader.gguf') },
    corpus: { type: 'string', default: 'demo' },
    domains: { type: 'string' },
    'per-domain': { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  },
});

const say = line => process.stderr.write(`${line}\n`);
const threads = Number(values.threads);
const only = values.only?.split(',') ?? null;
const found = await bench(
  {
    model: values.as === undefined ? values.model : copyOf(values.model, values.as),
    corpus: values.corpus,
    domains: values.domains?.split(',') ?? null,
    perDomain: Number(values['per-domain']),
    rounds: Number(values.rounds),
    threads,
  },
  { onStage: say, onLoad() {} },
  values.peers ? job => openOthers(job, { only, threads, say }) : undefined,
);
const markdown = benchMarkdown(found);
if (values.markdown !== undefined) writeFileSync(values.markdown, `${markdown}\n`);
if (values['write-docs'] !== undefined) {
  const page = join(packageRoot(), 'docs', 'benchmarks.md');
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), values['write-docs'], markdown));
}
process.stdout.write(`${values.json ? JSON.stringify(found, null, 2) : benchText(found)}\n`);
