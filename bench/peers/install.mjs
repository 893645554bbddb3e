import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../scripts/lock.mjs';
import { hash, read } from '../../scripts/native.mjs';
import { run, SetupError, which } from '../../scripts/process.mjs';
import { lastLine } from './child.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = resolve(HERE, '../..');
export const FOLDER = join(ROOT, 'build', 'peers');

/** llama-cpp-python's build, without the programs that nobody calls here. */
const BUILD = {
  CMAKE_ARGS: '-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF',
};

/**
 * Python of the virtual environment build/peers/<name>, with the packages of these requirement files in it. It is made
 * anew when the first file has changed. Throws an error whose message is one line.
 */
export async function python(name, requirements, log) {
  if (which('python3') === null) throw new Error('no python3 here');
  const folder = join(FOLDER, name);
  const program = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  await oneLine(
    // A lock of its own: an installation takes minutes, and the project may be built meanwhile.
    withLock(FOLDER, async () => {
      const version = await run('python3', ['--version']);
      for (const [i, file] of requirements.entries()) {
        const path = join(HERE, 'requirements', file);
        const stampFile = join(folder, `${file}.stamp`);
        const stamp = hash([
          ['python', version],
          ['root', ROOT],
          ['requirements', readFileSync(path)],
        ]);
        if (read(stampFile) === stamp) continue;
        log(`installing ${file} into build/peers`);
        if (i === 0) await run('python3', ['-m', 'venv', '--clear', folder]);
        const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', path];
        await run(program, pip, { env: { ...process.env, ...BUILD } });
        writeFileSync(stampFile, stamp);
      }
    }),
  );
  return program;
}

/** Folder of a Hugging Face checkpoint with the weights of a GGUF, made once for each content. */
export async function checkpoint(program, model, log) {
  const digest = createHash('sha256');
  await pipeline(createReadStream(model), digest);
  const folder = join(FOLDER, 'weights', digest.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    log(`writing the weights of ${model} for Hugging Face`);
    mkdirSync(join(FOLDER, 'weights'), { recursive: true });
    await oneLine(run(program, [join(HERE, 'weights.py'), model, folder]));
  }
  return folder;
}

/** A program's failure as one line: what it printed last. */
async function oneLine(work) {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const last = lastLine(error.output);
    throw new Error(last === '' ? error.message : last);
  }
}
