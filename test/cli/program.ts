import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { readDerived, readReadings } from '../../src/run/reader.js';
import type { Reading } from '../../src/run/types.js';
import type { Outcome } from './command.js';

/** Groups that were started; what a failed test leaves is ended, or it would slow all others down. */
const groups = new Set<number>();
afterEach(() => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  }
  groups.clear();
});

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** What has been said on stderr so far. */
  readonly said: () => string;
  readonly ended: Promise<Outcome & { readonly signal: NodeJS.Signals | null }>;
}

/** Starts the built program as the leader of a process group of its own, its output in pipes. */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...env },
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  if (child.pid === undefined) throw new Error('the program could not be started');
  groups.add(child.pid);
  return {
    child,
    pid: child.pid,
    said: () => written.stderr,
    ended: new Promise(resolve => {
      child.once('close', (code, signal) => resolve({ ...written, code: code ?? -1, signal }));
    }),
  };
}

export async function program(...args: readonly string[]): Promise<Outcome> {
  const { stdout, stderr, code } = await startProgram(args).ended;
  return { stdout, stderr, code };
}

/** Processes of a group that are still there, with their command lines; Linux only. */
export function aliveInGroup(group: number): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (Number(processGroup) !== group || state === 'Z') return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return [];
      }
    });
}

/** Rows by key, without the one column that says how the work was divided. */
export function sortedReadings(dir: string): readonly Omit<Reading, 'batchId'>[] {
  return readReadings(dir)
    .map(({ batchId: _, ...row }) => row)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Every row of both streams, batch numbers included, as one text: equal runs give equal bytes. */
export function wholeTable(dir: string): string {
  return [...readReadings(dir), ...readDerived(dir)]
    .map(row => JSON.stringify(row))
    .sort()
    .join('\n');
}
