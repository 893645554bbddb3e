import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../build/test-models', import.meta.url));
const bundle = fileURLToPath(
  new URL('../../node_modules/node-llama-cpp/llama/gitRelease.bundle', import.meta.url),
);

/**
 * Path of one of llama.cpp's vocabulary-only files, `ggml-vocab-<name>.gguf`, out of the source that node-llama-cpp
 * carries as a git bundle. Written to build/test-models when it is not there.
 */
export function vocabulary(name: string): string {
  const path = join(cache, `vocab-${name}.gguf`);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  // A clone of its own: a folder cannot be moved over one that another test process has just put there.
  const scratch = `${path}.${process.pid}`;
  const clone = `${scratch}.git`;
  git('clone', '--quiet', '--bare', bundle, clone);
  writeFileSync(scratch, git('-C', clone, 'show', `HEAD:models/ggml-vocab-${name}.gguf`));
  rmSync(clone, { recursive: true });
  renameSync(scratch, path);
  return path;
}

function git(...args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('git', args, { maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
