import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../engine/package-root.js';
import { openPool } from '../../engine/pool.js';
import { spreadOf } from './rounds.js';
import type { Startup } from './types.js';

const run = promisify(execFile);

/** Opens the model and starts the program anew each time that it is asked. */
export function startupMeter(model: string): { measure(): Promise<void>; read(): Startup } {
  const load: number[] = [];
  const version: number[] = [];
  const inspect: number[] = [];
  const timed = async (into: number[], work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    into.push((performance.now() - began) / 1000);
  };
  const program = (...args: readonly string[]): Promise<unknown> =>
    run(process.execPath, [join(packageRoot(), 'dist', 'cli', 'main.js'), ...args]);
  return {
    async measure() {
      let close = async (): Promise<void> => {};
      await timed(load, async () => {
        close = (await openPool({ path: model, backend: 'cpu', gpuLayers: 0 }, 1)).dispose;
      });
      await close();
      await timed(version, () => program('--version'));
      await timed(inspect, () => program('inspect', model));
    },
    read: () => ({ load: spreadOf(load), version: spreadOf(version), inspect: spreadOf(inspect) }),
  };
}

/** Numbers of this process's children; empty where the system does not tell. */
export function childProcesses(): number[] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    return text.split(' ').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** The most memory that a process has had resident so far; null where the system does not tell. */
export function mostResident(pid: number): number | null {
  try {
    const found = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) * 1024;
  } catch {
    return null;
  }
}
