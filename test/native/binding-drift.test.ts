import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadBinding } from '../../src/engine/native.js';

const folder = fileURLToPath(new URL('../../native/', import.meta.url));
const read = (file: string): string => readFileSync(folder + file, 'utf8');
const sources = readdirSync(folder)
  .filter(file => file.endsWith('.cc'))
  .sort();

/** `[JavaScript name, C++ name]` of every exported function, from the list that the addon registers. */
const listed = [...read('bindings.h').matchAll(/^ {2}X\((\w+), (\w+)\)/gm)].map(
  ([, js, cpp]) => [js as string, cpp as string] as const,
);

interface Definition {
  readonly file: string;
  readonly cpp: string;
  /** The comment lines straight above the definition. */
  readonly comment: readonly string[];
}

const definitions: readonly Definition[] = sources.flatMap(file =>
  [...read(file).matchAll(/((?:^\/\/ .*\n)*)^Napi::Value (\w+)\(const Napi::CallbackInfo& info\) \{$/gm)].map(
    ([, comment, cpp]): Definition => ({
      file,
      cpp: cpp as string,
      comment: (comment as string)
        .split('\n')
        .filter(line => line !== '')
        .map(line => line.slice(3)),
    }),
  ),
);

/** Names of C functions that stand before a bracket outside comments. */
function callsIn(text: string): ReadonlySet<string> {
  const code = text.replace(/\/\/.*$/gm, '');
  return new Set([...code.matchAll(/\b((?:llama|ggml)_\w+)\(/g)].map(([, call]) => call as string));
}

const SIGNATURE = /^(\w+)\((.*)\): (.+)$/;

interface Signature {
  readonly name: string;
  readonly parameters: string;
  readonly result: string;
}

function signatureIn(lines: readonly string[]): Signature | undefined {
  for (const line of lines) {
    const [, name, parameters, result] = SIGNATURE.exec(line) ?? [];
    if (name !== undefined && parameters !== undefined && result !== undefined)
      return { name, parameters, result };
  }
  return undefined;
}

/** Members of a TypeScript interface as one line each, without comments, `readonly` and trailing commas. */
function interfaceMembers(name: string): readonly string[] {
  const source = readFileSync(
    fileURLToPath(new URL('../../src/engine/native.ts', import.meta.url)),
    'utf8',
  ).replace(/\/\*\*[\s\S]*?\*\//g, '');
  const start = source.indexOf(`export interface ${name} {`);
  if (start < 0) throw new Error(`src/engine/native.ts has no interface ${name}`);
  const body = source.slice(source.indexOf('{', start) + 1, source.indexOf('\n}', start));
  // A member ends at a semicolon outside brackets.
  const members: string[] = [];
  let depth = 0;
  let member = '';
  for (const character of body) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (character === ';' && depth === 0) {
      members.push(oneLine(member));
      member = '';
    } else member += character;
  }
  expect(member.trim(), `the last member of ${name} ends with a semicolon`).toBe('');
  return members;
}

function oneLine(text: string): string {
  return text
    .replace(/\breadonly (?=\w+[?:])/g, '')
    .replace(/\s+/g, ' ')
    .replace(/,? ?\)/g, ')')
    .replace(/\( /g, '(')
    .trim();
}

const declared: readonly Signature[] = interfaceMembers('NativeBinding')
  .map(member => signatureIn([member]))
  .filter(signature => signature !== undefined);

/** Named types that a comment may write out: `SpecialToken` as `{ id: number; … }`. */
function writtenOut(type: string): string {
  return oneLine(
    type.replace(/\b(SpecialToken|NativeDevice)\b/g, name => `{ ${interfaceMembers(name).join('; ')} }`),
  );
}

/** C++ takes any array; `readonly` is a promise of the TypeScript side. `never` says the same as an opaque code. */
function comparable(signature: Signature): Signature {
  return {
    name: signature.name,
    parameters: signature.parameters
      .replace(/\breadonly (?=\w+\[\])/g, '')
      .replace('code: never', 'code: string'),
    result: writtenOut(signature.result),
  };
}

describe('native bindings', () => {
  it('are all found by this test', () => {
    expect(listed.length).toBeGreaterThan(15);
    expect(declared.length).toBe(listed.length + 1);
  });

  it('are listed, defined and declared under the same names', () => {
    const fromList = [...listed.map(([js]) => js), 'setErrorClass'].sort();
    expect(declared.map(({ name }) => name).sort()).toEqual(fromList);
    expect(definitions.map(({ cpp }) => cpp).sort()).toEqual(
      [...listed.map(([, cpp]) => cpp), 'set_error_class'].sort(),
    );
    expect(new Set(fromList).size).toBe(fromList.length);
  });

  it.each([...listed, ['setErrorClass', 'set_error_class'] as const])(
    '%s has a comment with the TypeScript signature, and it is that of the interface',
    (js, cpp) => {
      const definition = definitions.find(candidate => candidate.cpp === cpp);
      const commented = signatureIn(definition?.comment ?? []);
      const member = declared.find(({ name }) => name === js);
      if (commented === undefined || member === undefined)
        throw new Error(`${js}: no signature in the comment or the interface`);
      expect(comparable(commented)).toEqual(comparable(member));
    },
  );

  it.each(listed)('%s names in its comment the C calls that its file makes', (js, cpp) => {
    const definition = definitions.find(candidate => candidate.cpp === cpp);
    const named = (definition?.comment ?? [])
      .filter(line => !SIGNATURE.test(line))
      .flatMap(line => line.match(/\b(?:llama|ggml)_[a-z_]+\*?/g) ?? []);
    const called = callsIn(sources.map(read).join('\n'));
    for (const call of named) {
      const known = call.endsWith('*')
        ? [...called].some(name => name.startsWith(call.slice(0, -1)))
        : called.has(call);
      expect(known, `${js}: ${call} is called nowhere`).toBe(true);
    }
  });

  it('are what the built addon exports', () => {
    const exported = Object.keys(loadBinding()).sort();
    expect(exported).toEqual([...listed.map(([js]) => js), 'compiledRelease', 'setErrorClass'].sort());
  });

  it('opens every library function that is called, and calls every one that it opens', () => {
    const table = [...read('library.h').matchAll(/^ {2}X\((\w+)\)/gm)].map(([, name]) => name as string);
    const called = callsIn(sources.map(read).join('\n'));
    expect(table.filter(name => !called.has(name))).toEqual([]);
    expect([...called].filter(name => !table.includes(name))).toEqual([]);
    expect([...table].sort()).toEqual(table);
  });
});
