import { expect, test } from 'vitest';
import type { Check } from '../../src/api/doctor.js';
import { ERROR_CODES } from '../../src/errors.js';
import { randomEncoder } from '../models/fixtures.js';
import { program } from './program.js';

test('doctor finds the addon, the libraries and an exact schedule', async () => {
  const { code, stdout, stderr } = await program('doctor', '--gpu', 'off', '--json');
  expect(code, stdout).toBe(0);
  expect(stderr).toBe('');
  const checks = JSON.parse(stdout) as readonly Check[];
  const byName = new Map(checks.map(check => [check.name, check]));
  for (const name of ['node', 'addon', 'libraries (cpu)', 'backend', 'model', 'exactness', 'run'])
    expect(byName.get(name)?.state, name).toBe('ok');
  expect(byName.get('exactness')?.text).toContain('bit for bit');
  expect(byName.get('run')?.text).toMatch(/^\d+ evaluations/);
});

test('doctor offers to calibrate where nothing failed', async () => {
  const { code, stderr } = await program('doctor', '--gpu', 'off');
  expect(code).toBe(0);
  expect(stderr).toContain('plumbline calibrate');
});

test('doctor on what is no judge fails in a line of text', async () => {
  const { code, stdout, stderr } = await program('doctor', '--gpu', 'off', '--model', await randomEncoder());
  expect(code).toBe(1);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^fail {2}self-test +.*is an encoder/m);
  expect(stdout).not.toContain('\x1b');
  expect(stdout).not.toMatch(/^\s+at /m);
  expect(ERROR_CODES.length).toBeGreaterThan(0);
});
