import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wordDiff } from '../../src/perturb/word-diff.js';
import { passage, plainPassage } from '../../src/report/passage.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';

const plain = { colour: false };

describe('a passage', () => {
  test('marks what was deleted and inserted', () => {
    expect(passage(wordDiff('You must ask. Never pay.', 'You must not ask. Never'), plain)).toBe(
      '  │ You must {+not +}ask. Never[- pay.-]',
    );
  });

  test('is coloured on a terminal, marks and all', () => {
    const text = passage(wordDiff('You must ask them now', 'You must not ask now'), { colour: true });
    expect(text).toContain('\u001b[32m{+not +}\u001b[0m');
    expect(text).toContain('\u001b[31m[-them -]\u001b[0m');
  });

  test('keeps line breaks behind its gutter, also inside of marks', () => {
    expect(plainPassage('one\n\ntwo', plain)).toBe('  │ one\n  │\n  │ two');
    expect(passage([{ kind: 'deleted', text: 'one\ntwo\n' }], plain)).toBe('  │ [-one\n  │ two-]\n  │');
    expect(passage([{ kind: 'inserted', text: '\n' }], plain)).toBe('  │ {+<U+000A>+}');
    expect(plainPassage('', plain)).toBe('  │');
  });

  test('no text moves the cursor, turns the writing, or leaves the gutter', () => {
    const hostile = 'a\u001b[2J\u202eb\r\u0007\u2028c\u0085d\u200b\n  baseline';
    const text = plainPassage(hostile, plain);
    expect(text).toBe('  │ a<U+001B>[2J<U+202E>b<U+000D><U+0007><U+2028>c<U+0085>d<U+200B>\n  │   baseline');
  });

  test('keeps to the width, whatever is in it', () => {
    const piece = fc.record({
      kind: fc.constantFrom('same' as const, 'deleted' as const, 'inserted' as const),
      text: fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
    });
    const fixed = [{ kind: 'inserted' as const, text: `${'規'.repeat(300)} ${'x'.repeat(700)} ` }];
    fc.assert(
      fc.property(fc.oneof(fc.array(piece), fc.constant(fixed)), pieces => {
        for (const line of passage(pieces, plain).split('\n')) {
          expect(line.startsWith('  │')).toBe(true);
          expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
          expect(displayWidth(line)).toBeLessThanOrEqual(WIDTH);
        }
      }),
      { numRuns: 200 },
    );
  });
});
