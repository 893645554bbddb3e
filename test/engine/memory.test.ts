import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../bench/memory.mjs', import.meta.url));
/** What the heap of a fresh process may still grow by. An evaluation that leaves 16 kB behind shows. */
const GROWTH = 32e6;

// bench/memory.mjs does the same over 100,000 evaluations (docs/engine.md).
it.runIf(process.platform === 'linux')(
  'an engine process keeps its memory',
  { timeout: 300_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '3000']);
    const report = JSON.parse(stdout);
    expect(report.evaluations).toBe(3000);
    expect(report.afterFirstRound).toBeGreaterThan(report.weightBytes + report.kvBytes);
    expect(report.mostBytes).toBeLessThan(report.boundBytes);
    expect(report.mostInLastTenth - report.afterFirstRound).toBeLessThan(GROWTH);
  },
);
