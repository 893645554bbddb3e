import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeProject, put, type Ran, runNode } from './project.js';

let root = '';
beforeEach(() => {
  root = makeProject();
  put(root, 'scripts/setup.mjs', 'console.log("ran set-up");');
  put(root, 'dist/cli/main.js', 'console.log("ran " + process.argv[2]);');
  standIn('typescript', 'bin/tsc', 'console.log("ran tsc");');
  standIn('@biomejs/biome', 'bin/biome', 'console.log("ran biome");');
});
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));

function standIn(name: string, script: string, code: string): void {
  put(root, `node_modules/${name}/package.json`, '{"type":"commonjs"}');
  put(root, `node_modules/${name}/${script}`, code);
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unloaded: number;
}

/** A vitest that writes its JSON file as the real one does. */
function vitest({ passed, failed, skipped, unloaded }: Counts, exitCode: number): void {
  const assertions = (status: string, count: number) => Array.from({ length: count }, () => ({ status }));
  const results = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: [
      {
        status: failed > 0 ? 'failed' : 'passed',
        assertionResults: assertions('passed', passed).concat(assertions('failed', failed)),
      },
      ...Array.from({ length: unloaded }, () => ({ status: 'failed', assertionResults: [] })),
    ],
  };
  const code = `
    import { writeFileSync } from 'node:fs';
    const flag = process.argv.find(arg => arg.startsWith('--outputFile.json='));
    console.log('vitest got ' + process.argv.at(-1));
    writeFileSync(flag.slice(flag.indexOf('=') + 1), ${JSON.stringify(JSON.stringify(results))});
    process.exitCode = ${exitCode};`;
  standIn('vitest', 'vitest.mjs', code);
}

const runTests = (...args: readonly string[]): Promise<Ran> =>
  runNode([join(root, 'scripts', 'test.mjs'), ...args]);
const lastLine = (ran: Ran) => ran.stdout.trimEnd().split('\n').at(-1);

it('runs set-up, types, linter, tests and self-test in this order and ends with the counts', async () => {
  vitest({ passed: 7, failed: 0, skipped: 0, unloaded: 0 }, 0);
  const ran = await runTests();
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/ran set-up.*ran tsc.*ran biome.*vitest got .*ran calibrate/s);
  expect(lastLine(ran)).toBe('7 passed, 0 failed');
});

it('runs the tests that are named, and no self-test', async () => {
  vitest({ passed: 7, failed: 0, skipped: 0, unloaded: 0 }, 0);
  const { stdout } = await runTests('test/corpus');
  expect(stdout).toContain('vitest got test/corpus');
  expect(stdout).not.toContain('ran calibrate');
});

it.each([0, 2])('counts a self-test that fails, after %i failed tests', async failed => {
  vitest({ passed: 5, failed, skipped: 0, unloaded: 0 }, failed === 0 ? 0 : 1);
  put(root, 'dist/cli/main.js', 'process.exitCode = 1;');
  const ran = await runTests();
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('== self-test: FAILED');
  expect(lastLine(ran)).toBe(`5 passed, ${failed + 1} failed`);
});

it.each([
  ['failed tests', { passed: 5, failed: 2, skipped: 0, unloaded: 0 }, 1, '5 passed, 2 failed'],
  [
    'a test file that does not load',
    { passed: 5, failed: 0, skipped: 0, unloaded: 1 },
    1,
    '5 passed, 1 failed',
  ],
  ['an error outside any test', { passed: 5, failed: 0, skipped: 0, unloaded: 0 }, 1, '5 passed, 1 failed'],
])('fails for %s', async (_, counts, exitCode, line) => {
  vitest(counts, exitCode);
  const ran = await runTests();
  expect(ran.code).toBe(1);
  expect(lastLine(ran)).toBe(line);
});

it('names skipped tests', async () => {
  vitest({ passed: 5, failed: 0, skipped: 3, unloaded: 0 }, 0);
  const ran = await runTests();
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('\n3 skipped');
  expect(lastLine(ran)).toBe('5 passed, 0 failed');
});

it('stops at a stage that fails', async () => {
  vitest({ passed: 7, failed: 0, skipped: 0, unloaded: 0 }, 0);
  standIn('typescript', 'bin/tsc', 'console.log("error TS1"); process.exit(2);');
  const ran = await runTests();
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('== types: FAILED');
  expect(ran.stdout).not.toContain('biome');
  expect(ran.stdout).not.toContain('vitest');
  expect(lastLine(ran)).toBe('0 passed, 1 failed');
});

it('does not take the counts of an earlier run for its own', async () => {
  vitest({ passed: 7, failed: 0, skipped: 0, unloaded: 0 }, 0);
  await runTests();
  standIn('vitest', 'vitest.mjs', 'process.exitCode = 1;');
  expect(lastLine(await runTests())).toBe('0 passed, 1 failed');
});
