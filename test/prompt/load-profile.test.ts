import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadProfile } from '../../src/prompt/load-profile.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { profileText, renderPrompt } from '../../src/prompt/render.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-profile-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown): string {
  const path = join(folder, 'mine.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const mine = {
  name: 'mine',
  parts: [{ text: 'R=' }, { field: 'rule' }, { text: ' S=' }, { field: 'scenario' }, { text: ' ->' }],
  labels: { compliant: ' yes', nonCompliant: ' no' },
  reader: { kind: 'words', nonCompliant: ['no'], compliant: ['yes'] },
};

test('a built-in profile by name, a user’s by file', async () => {
  expect(await loadProfile('rule-anchored')).toBe(PROFILES['rule-anchored']);
  const profile = await loadProfile(file(mine));
  expect(profile).toMatchObject({
    name: 'mine',
    ruleChars: null,
    maxTokens: 8,
    chat: 'none',
    description: '',
  });
  expect(profile.reader).toEqual({ ...mine.reader, marker: null });
  expect(profileText(renderPrompt(profile, 'a', 'b'))).toBe('R=a S=b ->');
});

test.each(Object.values(PROFILES))('$name can be written to a file under another name', async profile => {
  const own = { ...profile, name: 'own' };
  expect(await loadProfile(file(own))).toEqual(own);
});

test.each([
  [{ ...mine, name: 'standard' }, 'name: expected a name of its own'],
  [{ ...mine, name: undefined }, 'name: '],
  [
    { ...mine, parts: [{ field: 'scenario' }, { text: 'a', field: 'rule' }] },
    'parts[1]: expected exactly one of',
  ],
  [{ ...mine, parts: [{ field: 'scenario' }, {}] }, 'parts[1]: expected exactly one of'],
  [{ ...mine, parts: [{ field: 'Scenario' }] }, 'parts[0].field: '],
  [{ ...mine, parts: [{ field: 'rule' }] }, 'parts: expected the field "scenario" exactly once'],
  [
    { ...mine, parts: [{ field: 'scenario' }, { field: 'scenario' }] },
    'parts: expected the field "scenario"',
  ],
  [{ ...mine, parts: [...mine.parts, { field: 'rule' }] }, 'parts: expected the field "rule" at most once'],
  [{ ...mine, labels: { compliant: 'x', nonCompliant: 'x' } }, 'labels: expected two different'],
  [{ ...mine, labels: { compliant: 'x', nonCompliant: '' } }, 'labels.nonCompliant: '],
  [{ ...mine, reader: { kind: 'regex' } }, 'reader.kind: '],
  [{ ...mine, reader: { kind: 'words', nonCompliant: [], compliant: ['a'] } }, 'reader.nonCompliant: '],
  [{ ...mine, ruleChars: 0 }, 'ruleChars: '],
  [{ ...mine, maxTokens: '8' }, 'maxTokens: '],
  [{ ...mine, maxTokns: 8 }, 'profile: '],
  ['{', 'not valid JSON'],
  ['[]', 'profile: '],
])('a wrong file is refused with the place of the fault (%#)', async (content, place) => {
  const path = file(content);
  await expect(loadProfile(path)).rejects.toMatchObject({
    code: 'PROFILE_INVALID',
    message: expect.stringContaining(`${path}: ${place}`),
  });
});

test('a name that is neither lists the built-in ones', async () => {
  await expect(loadProfile('standrad')).rejects.toMatchObject({
    code: 'PROFILE_INVALID',
    message: expect.stringMatching(
      /"standrad" is neither a built-in profile \(standard, .*llama-guard\) nor a readable file/,
    ),
  });
  await expect(loadProfile('toString')).rejects.toMatchObject({ code: 'PROFILE_INVALID' });
});
