import { type SpawnOptions, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * A small project with the repository's scripts and build files, in a new folder whose parent has the repository's
 * node_modules, so that packages are found upwards and the project's own node_modules is free for stand-ins.
 */
export function makeProject(files: Readonly<Record<string, string>> = {}): string {
  const parent = mkdtempSync(join(tmpdir(), 'plumbline-scripts-'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(parent, 'node_modules'));
  const root = join(parent, 'a project');
  for (const name of ['scripts', 'CMakeLists.txt', 'package.json', 'tsconfig.json']) {
    cpSync(join(REPOSITORY, name), join(root, name), { recursive: true });
  }
  for (const [name, content] of Object.entries(files)) {
    put(root, name, content);
  }
  return root;
}

export function put(root: string, name: string, content: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script with this Node and gives what it printed. */
export function runNode(args: readonly string[], options: SpawnOptions = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', code =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}
