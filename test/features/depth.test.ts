import { describe, expect, test } from 'vitest';
import type { PlumblineError } from '../../src/errors.js';
import { parseConllu } from '../../src/features/conllu.js';
import { depthOf, type Parse } from '../../src/features/depth.js';

/** `text:head:label`, a head of * for a root; `|` begins a sentence. */
function parse(source: string): Parse {
  let startsSentence = true;
  const tokens: { text: string; head: number; label: string; startsSentence: boolean }[] = [];
  for (const word of source.split(' ')) {
    if (word === '|') {
      startsSentence = true;
      continue;
    }
    const [text = '', head = '*', label = 'dep'] = word.split(':');
    tokens.push({ text, head: head === '*' ? tokens.length : Number(head), label, startsSentence });
    startsSentence = false;
  }
  return tokens;
}

describe('depth', () => {
  test('is the number of arcs to the root, of the deepest word, averaged over sentences', () => {
    // Both heads to the right and to the left; the second sentence is a chain of three arcs.
    const found = depthOf(parse('a:1 b:* c:1 | d:* e:3 f:4 g:5'));
    expect(found).toEqual({ sentences: 2, mdd: 2, mdd3: 2 });
  });

  test('short sentences count in mdd, not in mdd3, unless there is no other', () => {
    expect(depthOf(parse('(k):* | a:2 b:* c:2'))).toEqual({ sentences: 2, mdd: 0.5, mdd3: 1 });
    expect(depthOf(parse('6:* | a:2 b:*'))).toEqual({ sentences: 2, mdd: 0.5, mdd3: 0.5 });
  });

  test('punctuation is no word, but may stand on the way to the root', () => {
    expect(depthOf(parse('a:1 ;:2:dep b:* .:2:punct')).mdd).toBe(2);
    expect(depthOf(parse('a:* b:0 .003:1:punct')).mdd).toBe(1);
    expect(depthOf(parse('|:* -:0'.replace('|', '—')))).toEqual({ sentences: 0, mdd: null, mdd3: null });
    expect(depthOf([])).toEqual({ sentences: 0, mdd: null, mdd3: null });
  });

  test('a chain of 100,000 tokens is no recursion', () => {
    const chain: Parse = Array.from({ length: 100_000 }, (_, i) => ({
      text: 'x',
      head: Math.max(0, i - 1),
      label: 'dep',
      startsSentence: i === 0,
    }));
    expect(depthOf(chain).mdd).toBe(99_999);
  });
});

const line = (...fields: readonly (string | number)[]): string => {
  const [id = 1, form = 'x', head = 0, label = 'root'] = fields;
  return [id, form, '_', '_', '_', '_', head, label, '_', '_'].join('\t');
};

describe('CoNLL-U', () => {
  test('is read rule by rule, ranges and empty nodes passed over', () => {
    const text = [
      '# generator = test',
      '# newdoc id = r1',
      '# text = ab c',
      line('1-2', 'ab', '_', '_'),
      line(1, 'a', 2, 'det'),
      line(2, 'b'),
      line('2.1', 'e', '_', '_'),
      line(3, 'c', 2, 'obj'),
      '',
      line(1, 'd'),
      line(2, '.', 1, 'punct'),
      '',
      '# newdoc id = r2',
      '',
    ].join('\r\n');
    const parses = parseConllu(`\ufeff${text}`, 'f');
    expect([...parses.keys()]).toEqual(['r1', 'r2']);
    expect(parses.get('r1')).toEqual(parse('a:1:det b:*:root c:1:obj | d:*:root .:3:punct'));
    expect(parses.get('r2')).toEqual([]);
  });

  test.each([
    ['no document', [line()], ':2: a sentence before any'],
    ['too few fields', ['# newdoc id = r', '1\tx'], ':2: 2 fields between tabs'],
    ['a gap', ['# newdoc id = r', line(2)], ':2: token "2", expected 1'],
    ['a head that is no number', ['# newdoc id = r', line(1, 'x', '_')], ':2: head "_"'],
    ['a head beyond the sentence', ['# newdoc id = r', line(1, 'x', 7)], ':2: head 7 in a sentence of 1'],
    ['a circle', ['# newdoc id = r', line(1, 'x', 2), line(2, 'y', 1)], ':2: the heads go in a circle'],
    ['a head that is itself', ['# newdoc id = r', line(1, 'x', 1)], 'circle'],
    ['a rule twice', ['# newdoc id = r', '# newdoc id = r'], ':2: the rule r comes a second time'],
    ['an open sentence', ['# newdoc id = r', line(), '# newdoc id = s'], ':3: a document that begins inside'],
  ])('%s is refused with file and line', (_, lines, words) => {
    const refused = (): unknown => parseConllu(lines.join('\n'), 'parses.conllu');
    expect(refused).toThrow(words);
    expect(refused).toThrow('parses.conllu:');
    try {
      refused();
    } catch (error) {
      expect((error as PlumblineError).code).toBe('CORPUS_FORMAT');
    }
  });
});
