import { expect, test } from 'vitest';
import { withinLimit } from '../../src/engine/hardware.js';

test('free memory is never more than the limit of a container', () => {
  expect(withinLimit(8e9, 2e9)).toBe(2e9);
  expect(withinLimit(1e9, 2e9)).toBe(1e9);
  // No limit, as Node spells it on its systems.
  for (const none of [0, undefined, 18446744073709552000]) expect(withinLimit(8e9, none)).toBe(8e9);
});
