/**
 * The whole check behind `npm test`: types, formatter and linter, tests, and the self-test of what was built. A stage
 * before the tests that fails stops it. Arguments go to vitest, and then the self-test is left out. The last line is
 * always "N passed, N failed".
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './process.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const ARGUMENTS = process.argv.slice(2);
const RESULTS = join(ROOT, 'build', 'vitest.json');

const STAGES = [
  { name: 'set-up', script: join(ROOT, 'scripts', 'setup.mjs'), args: [] },
  { name: 'types', script: ['typescript', 'bin/tsc'], args: ['-p', 'tsconfig.test.json'] },
  {
    name: 'formatter and linter',
    script: ['@biomejs/biome', 'bin/biome'],
    args: ['check', '--error-on-warnings'],
  },
  {
    name: 'tests',
    script: ['vitest', 'vitest.mjs'],
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`, ...ARGUMENTS],
  },
  ...(ARGUMENTS.length === 0
    ? [{ name: 'self-test', script: join(ROOT, 'dist', 'cli', 'main.js'), args: ['calibrate'] }]
    : []),
];

/** Runs one stage with its output shown; gives its exit code. */
function runStage({ script, args }) {
  // Packages are looked up late: the set-up stage may have just installed them.
  const path = typeof script === 'string' ? script : join(packageFolder(ROOT, script[0]) ?? '', script[1]);
  return new Promise(resolve => {
    const child = spawn(process.execPath, [path, ...args], {
      cwd: ROOT,
      stdio: 'inherit',
      env: testEnvironment(),
    });
    child.on('close', code => resolve(code ?? 1));
  });
}

/** The Python that checks our Arrow files, when scripts/python-oracle.mjs has made one. */
function testEnvironment() {
  const python = join(ROOT, 'build', 'venv', 'bin', 'python');
  return existsSync(python) ? { PLUMBLINE_PYTHON: python, ...process.env } : process.env;
}

/** Counts from vitest's JSON file. A test file that could not be loaded, or any other failure, counts as one failed. */
function countTests(exitCode) {
  if (!existsSync(RESULTS)) {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const results = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const unloaded = results.testResults.filter(
    file => file.status === 'failed' && file.assertionResults.every(test => test.status !== 'failed'),
  );
  const failed = results.numFailedTests + unloaded.length;
  return {
    passed: results.numPassedTests,
    failed: exitCode === 0 ? failed : Math.max(failed, 1),
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

mkdirSync(join(ROOT, 'build'), { recursive: true });
rmSync(RESULTS, { force: true });

let counts = { passed: 0, failed: 0, skipped: 0 };
for (const stage of STAGES) {
  const start = performance.now();
  console.log(`== ${stage.name}`);
  const exitCode = await runStage(stage);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`== ${stage.name}: ${exitCode === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (stage.name === 'tests') {
    counts = countTests(exitCode);
  } else if (exitCode !== 0) {
    counts = { ...counts, failed: counts.failed + 1 };
    break;
  }
}
if (counts.skipped > 0) {
  console.log(`${counts.skipped} skipped; the skipped tests say why.`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
