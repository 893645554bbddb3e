import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { depthOf } from '../../src/features/depth.js';
import { actionsOf } from '../../src/features/spacy/arc-eager.js';
import { attributesOf, normOf } from '../../src/features/spacy/lexeme.js';
import { hash4 } from '../../src/features/spacy/murmur.js';
import { loadSpacyParser } from '../../src/features/spacy/parser.js';
import { fromPython } from '../../src/features/spacy/python-regex.js';
import { stringId } from '../../src/features/spacy/strings.js';
import { createTokenizer } from '../../src/features/spacy/tokenizer.js';
import { deprojectivize, sentenceStarts } from '../../src/features/spacy/tree.js';
import { collapse } from '../../src/features/text.js';
import { shared, skipNote } from '../shared.js';
import { goldRules } from './gold.js';
import { PARSED } from './parsed.js';

const model = shared('models', 'spacy_en_core_web_sm');
const gold = shared('gold', 'features');
if (model === null) skipNote('parsing as spaCy does', 'models', 'spacy_en_core_web_sm');

describe.skipIf(model === null)('the parser', () => {
  const parser = model === null ? null : loadSpacyParser(model);

  test('says what it is', () => {
    expect(parser?.name).toMatch(/^en_core_web_sm\w* 3\.8\.0$/);
  });

  test.each(PARSED)('finds what spaCy finds in: $text', ({ text, tokens, heads, labels, starts }) => {
    const parse = parser?.parse(text) ?? [];
    expect(parse.map(token => token.text)).toEqual(tokens);
    expect(parse.map(({ head }) => head)).toEqual(heads);
    expect(parse.map(({ label }) => label)).toEqual(labels);
    expect(parse.flatMap(({ startsSentence }, i) => (startsSentence ? [i] : []))).toEqual(starts);
  });

  test('a text parses the same whatever came before it', () => {
    const text = 'The keeper shall not open the gate before noon.';
    const first = parser?.parse(text);
    for (const other of PARSED) parser?.parse(other.text);
    expect(parser?.parse(text)).toEqual(first);
  });

  test('nothing and one token are texts', () => {
    expect(parser?.parse('')).toEqual([]);
    expect(parser?.parse('Stop')).toEqual([{ text: 'Stop', head: 0, label: 'ROOT', startsSentence: true }]);
  });

  // Every 60th rule: the whole set is 12,749 different texts and five minutes.
  test.skipIf(gold === null)('mean depths equal the oracle', { timeout: 300_000 }, () => {
    const rules = goldRules().filter((_, i) => i % 60 === 0);
    const wrong = rules.filter(({ text, gold: row }) => {
      const { sentences, mdd, mdd3 } = depthOf(parser?.parse(collapse(text)) ?? []);
      const differs = (value: number | null, column: string): boolean =>
        value === null ? row[column] !== '' : value.toPrecision(6) !== Number(row[column]).toPrecision(6);
      return sentences !== Number(row.n_sent) || differs(mdd, 'mdd') || differs(mdd3, 'mdd3');
    });
    expect(rules.length).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(model === null)('a directory that is not the pipeline', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plumbline-spacy-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function changed(name: string, content: string | Uint8Array): string {
    const copy = join(folder, `copy-${Math.random()}`);
    cpSync(model ?? '', copy, { recursive: true, mode: 0 });
    rmSync(join(copy, name));
    writeFileSync(join(copy, name), content);
    return copy;
  }

  test('is said to be missing', () => {
    expect(() => loadSpacyParser(folder)).toThrow(
      expect.objectContaining({ code: 'MODEL_NOT_FOUND', message: expect.stringContaining('meta.json') }),
    );
  });

  test.each([
    ['meta.json', '{"lang": "de", "name": "core_news_sm", "version": "3.8.0"}', 'lang'],
    ['meta.json', '{"lang": "en", "name": "core_web_sm", "version": "3.7.0"}', 'version'],
    ['meta.json', '[', 'JSON'],
    ['tokenizer', 'x', 'tokenizer'],
    ['parser/moves', Uint8Array.of(0x81, 0xa5, 0x6d, 0x6f, 0x76, 0x65, 0x73, 0xa1, 0x7b), 'JSON'],
    ['parser/model', Uint8Array.of(0x80), 'nodes'],
    ['tok2vec/model', '', 'tok2vec'],
    ['vocab/lookups.bin', Uint8Array.of(0x80), 'lexeme_norm'],
  ])('%s', (name, content, words) => {
    const load = (): unknown => loadSpacyParser(changed(name, content));
    expect(load).toThrow(
      expect.objectContaining({ code: 'MODEL_UNSUPPORTED', message: expect.stringContaining(words) }),
    );
    expect(load).toThrow(name.split('/').at(-1));
  });
});

describe('parts', () => {
  // Values of the Python packages spacy 3.8 and thinc 8.3.
  test('hashes', () => {
    expect(stringId('because')).toBe(16950148841647037698n);
    expect(stringId('héllo wörld, this is long')).toBe(8933932109969188373n);
    expect(stringId('a')).toBe(11901859001352538922n);
    expect(stringId('mark')).toBe(423n);
    expect(hash4(1n, 8n)).toEqual([1161550108, 2247783286, 1742325162, 1224191281]);
    expect(hash4(5827203507584285142n, 8n)).toEqual([1667439576, 3781293851, 353675716, 3524457129]);
  });

  test('norms: the table of the model, then the base, then lower case', () => {
    const table = (text: string): string | undefined => (text === 'cos' ? 'because' : undefined);
    expect(['cos', '“', '—', 'US$', 'Rule', 'İ'].map(text => normOf(text, table))).toEqual([
      'because',
      '"',
      '-',
      '$',
      'rule',
      'i̇',
    ]);
  });

  test.each([
    ['Xx-9½', 'Xx-d½'],
    ['abcdefg', 'xxxx'],
    ['ABCDEfg', 'XXXXxx'],
    ['1234567', 'dddd'],
    ['......', '....'],
    ['é²中', 'xdx'],
    ['x'.repeat(99), 'xxxx'],
    ['x'.repeat(100), 'LONG'],
  ])('the shape of %s is %s', (text, shape) => {
    expect(attributesOf(text, '').shape).toBe(shape);
  });

  test('prefix and suffix are characters, not halves of one', () => {
    expect(attributesOf('😀👍🏽', '')).toMatchObject({ prefix: '😀', suffix: '😀👍🏽' });
    expect(attributesOf('abcde', '')).toMatchObject({ prefix: 'a', suffix: 'cde' });
  });

  test('expressions of Python', () => {
    expect(fromPython(String.raw`(?u)^\!|\$|[\w\+\-\.]{2,}\S\d`)).toBe(
      String.raw`^!|\$|[\p{L}\p{N}_\+\-\.]{2,}[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][\p{Nd}]`,
    );
    expect(fromPython(String.raw`[\u00a6\U0001F600-\U0001F64F]`)).toBe(
      String.raw`[\u00a6\u{1F600}-\u{1F64F}]`,
    );
    expect(new RegExp(fromPython(String.raw`(?<=[0-9])\+$`), 'u').test('1+')).toBe(true);
    for (const unknown of [String.raw`\bx`, '(?P<n>x)', '(?i)x', '(?>x)', String.raw`[\S]`, '\\']) {
      expect(() => fromPython(unknown), unknown).toThrow();
    }
  });

  test('actions stand by move, count and label from the end of the alphabet', () => {
    const actions = actionsOf({
      0: { '': 3 },
      1: { '': 9 },
      2: { det: 1, amod: 5, aux: 1 },
      3: {},
      4: { ROOT: 2 },
    });
    expect(actions.map(({ move, label }) => `${move} ${label}`)).toEqual([
      'shift ',
      'reduce ',
      'left amod',
      'left det',
      'left aux',
      'break ROOT',
    ]);
  });

  const tokenize = createTokenizer({
    prefix: String.raw`^\(|^"`,
    suffix: String.raw`\)$|"$|\.$|'s$`,
    infix: String.raw`(?<=[a-z])-(?=[a-z])|\.\.+`,
    url: String.raw`(?u)^https?://\S+$`,
    exceptions: new Map([
      [
        "don't",
        [
          { text: 'do', norm: null },
          { text: "n't", norm: 'not' },
        ],
      ],
      ['e.g.', [{ text: 'e.g.', norm: null }]],
      ['(:', [{ text: '(:', norm: null }]],
    ]),
  });
  test.each([
    ['("a-b...c")', '( " a - b ... c " )'],
    ["don't (don't) \"don't", "do n't ( do n't ) \" do n't"],
    ['e.g. (e.g.).', 'e.g. ( e.g. ) .'],
    ["keeper's https://a.b/c-d.", "keeper 's https://a.b/c-d ."],
    ['x (: (:', 'x (: (:'],
    ['-', '-'],
    ['', ''],
  ])('%s is split into %s', (text, tokens) => {
    const found = tokenize(text);
    expect(found.map(token => token.text).join(' ')).toBe(tokens);
    // Joined with their spaces, tokens are the text.
    expect(found.map(token => token.text + (token.space ? ' ' : '')).join('')).toBe(text);
  });

  test('an exception gives its norm', () => {
    expect(tokenize("don't").map(({ norm }) => norm)).toEqual([null, 'not']);
  });

  test('a decorated arc moves below its head, nearest level first, left to right', () => {
    // 0 is the root of 1 and 3; 2 belongs to the first token labelled y below it.
    const tree = { heads: [0, 0, 0, 0, 3], labels: ['ROOT', 'x', 'acl||y', 'z', 'y'] };
    expect(deprojectivize(tree)).toEqual({ heads: [0, 0, 4, 0, 3], labels: ['ROOT', 'x', 'acl', 'z', 'y'] });
    const none = { heads: [0, 0], labels: ['ROOT', 'acl||y'] };
    expect(deprojectivize(none)).toEqual({ heads: [0, 0], labels: ['ROOT', 'acl'] });
  });

  test('sentences begin where the stretch of a root does', () => {
    expect(sentenceStarts([1, 1, 1, 4, 4])).toEqual([true, false, false, true, false]);
    expect(sentenceStarts([])).toEqual([]);
    // A crossing arc widens the first sentence over the second.
    expect(sentenceStarts([3, 1, 1, 3])).toEqual([true, true, false, false]);
  });
});
