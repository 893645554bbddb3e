import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultsOf } from '../src/zod-faults.js';

const schema = z.strictObject({
  parts: z.array(z.object({ text: z.string(), kind: z.enum(['data', 'template']) })),
  tokens: z.int().positive(),
});

function faults(value: unknown, whole?: string): string {
  const { error } = schema.safeParse(value);
  if (error === undefined) throw new Error('the value was taken');
  return faultsOf(error, whole);
}

test('faults are path, problem and what was expected, one after the other on one line', () => {
  const text = faults({
    parts: [
      { text: 'a', kind: 'data' },
      { text: 3, kind: 'other' },
    ],
    tokens: 0,
    more: 1,
  });
  expect(text).toBe(
    'parts[1].text: expected string, received number; parts[1].kind: expected one of "data"|"template"; ' +
      'tokens: expected number to be >0; at the top: unknown key "more"',
  );
  expect(faults({ parts: [] })).toBe('tokens: expected number, and it is missing');
  expect(faults(null, 'profile')).toBe('profile: expected object, received null');
});

test('no message is made of raw texts of zod', () => {
  const root = fileURLToPath(new URL('../src', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(200);
  const raw = files.filter(
    name =>
      name !== 'zod-faults.ts' &&
      /prettifyError|error\.issues|\[issue\]/.test(readFileSync(join(root, name), 'utf8')),
  );
  expect(raw).toEqual([]);
});
