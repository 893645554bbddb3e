import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ModelCalibration } from '../../../src/api/calibrate.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A small part of both corpora, on which the sound instrument passes: a run takes seconds. */
const DOMAINS = ['building_access', 'fleet_driving'];
const SCENARIOS = 10;
const SEED = '7';
/** Less than a test may take: a fault that hangs leaves no process behind. */
const HANGS_MS = 280_000;

/** Code in place of other code in a compiled file (a path in dist/). `find` has to stand there exactly once. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

/** A fault of the instrument, and how `calibrate` on the reader catches it. */
export interface Fault {
  readonly edits: readonly Edit[];
  /**
   * Figure that leaves its interval, or the code of the error that calibrate ends with. Several: one of them, where it
   * depends on how the lanes happen to be filled which comes first.
   */
  readonly breaks: string | readonly string[];
}

interface Calibrated {
  readonly code: number | null;
  readonly stderr: string;
  /** Figures outside their intervals. */
  readonly failed: readonly string[];
}

/** One test for each fault. */
export function catches(faults: Readonly<Record<string, Fault>>): void {
  it.each(Object.entries(faults))('%s', async (_name, { edits, breaks }) => {
    const { code, stderr, failed } = await calibrateWith(edits);
    expect(code, stderr).not.toBe(0);
    const caught = [breaks]
      .flat()
      .filter(one => failed.includes(one) || stderr.includes(`plumbline: ${one}: `));
    expect(caught, `${failed.join(', ')}\n${stderr}`).not.toEqual([]);
  });
}

/**
 * Runs `calibrate` in a copy of the built program with some of its code changed. The engine processes start from the
 * copy too; addon, dependencies and models are those of the clone.
 */
export async function calibrateWith(edits: readonly Edit[]): Promise<Calibrated> {
  const copy = mkdtempSync(join(tmpdir(), 'plumbline-mutant-'));
  try {
    cpSync(join(ROOT, 'dist'), join(copy, 'dist'), {
      recursive: true,
      filter: path => !/\.(map|d\.ts)$/.test(path),
    });
    cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
    for (const name of ['node_modules', 'build']) symlinkSync(join(ROOT, name), join(copy, name));
    mkdirSync(join(copy, 'models'));
    for (const name of readdirSync(join(ROOT, 'models'))) {
      if (/^reference-.*\.jsonl$/.test(name)) cutCorpus(name, join(copy, 'models'));
      else symlinkSync(join(ROOT, 'models', name), join(copy, 'models', name));
    }
    for (const edit of edits) change(copy, edit);
    return await run(join(copy, 'dist', 'cli', 'main.js'));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function change(copy: string, { file, find, put }: Edit): void {
  const path = join(copy, 'dist', file);
  const parts = readFileSync(path, 'utf8').split(find);
  if (parts.length !== 2) {
    throw new Error(
      `dist/${file} has this code ${parts.length - 1} times, expected once; write the fault for the code as it is now:\n${find}`,
    );
  }
  writeFileSync(path, parts.join(put));
}

/** The first scenarios of each domain, under all rules that they stand under. */
function cutCorpus(name: string, into: string): void {
  const lines = readFileSync(join(ROOT, 'models', name), 'utf8')
    .trimEnd()
    .split('\n');
  const seen = new Map(DOMAINS.map(domain => [domain, new Set<string>()]));
  const kept = lines.filter(line => {
    const { domain, scenario } = JSON.parse(line) as { readonly domain: string; readonly scenario: string };
    const scenarios = seen.get(domain);
    if (scenarios !== undefined && scenarios.size < SCENARIOS) scenarios.add(scenario);
    return scenarios?.has(scenario) ?? false;
  });
  writeFileSync(join(into, name), `${kept.join('\n')}\n`);
}

async function run(main: string): Promise<Calibrated> {
  const args = [main, 'calibrate', '--model', 'reader', '--seed', SEED, '--json'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANGS_MS,
    killSignal: 'SIGKILL',
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  const models = JSON.parse(written.stdout || '[]') as readonly ModelCalibration[];
  const checks = models.flatMap(model => model.checks);
  return {
    code,
    stderr: written.stderr,
    failed: checks.filter(({ pass }) => !pass).map(({ figure }) => figure),
  };
}
