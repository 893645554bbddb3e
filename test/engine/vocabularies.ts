import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
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
  const clone = join(cache, 'llama.cpp.git');
  mkdirSync(cache, { recursive: true });
  if (!existsSync(clone)) {
    const scratch = `${clone}.${process.pid}`;
    git('clone', '--quiet', '--bare', bundle, scratch);
    renameSync(scratch, clone);
  }
  const scratch = `${path}.${process.pid}`;
  writeFileSync(scratch, git('-C', clone, 'show', `HEAD:models/ggml-vocab-${name}.gguf`));
  renameSync(scratch, path);
  return path;
}

function git(...args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('git', args, { maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
