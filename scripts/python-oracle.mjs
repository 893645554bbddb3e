/**
 * Makes build/venv with the Python libraries that the tests read our Arrow files with (python-oracle.txt), so that
 * the files are checked by programs that are not ours. Skips when up to date; without python3 it says so, and the
 * tests that need it skip themselves.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { hash, read } from './native.mjs';
import { report, run, say, step, which } from './process.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const REQUIREMENTS = join(ROOT, 'scripts', 'python-oracle.txt');
const VENV = join(ROOT, 'build', 'venv');

async function ensureOracle() {
  if (which('python3') === null) {
    say('python oracle: no python3 here; the tests that need it will be skipped');
    return;
  }
  const version = await run('python3', ['--version']);
  const stampFile = join(VENV, 'plumbline.stamp');
  const stamp = hash([
    ['python', version],
    ['root', ROOT],
    ['requirements', readFileSync(REQUIREMENTS)],
  ]);
  if (existsSync(join(VENV, 'bin', 'python')) && read(stampFile) === stamp) {
    return;
  }
  await step(`installing pyarrow, polars and NumPy into build/venv (${version.trim()})`, async () => {
    rmSync(VENV, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', VENV]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
    await run(join(VENV, 'bin', 'python'), [...pip, '-r', REQUIREMENTS]);
    writeFileSync(stampFile, stamp);
  });
}

process.exitCode = await withLock(ROOT, ensureOracle).then(() => 0, report);
