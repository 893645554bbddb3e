import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c, crc32cHex } from '../../src/run/crc32c.js';

const from = (length: number, value: (i: number) => number) =>
  Uint8Array.from({ length }, (_, i) => value(i));

test('gives the values of RFC 3720, appendix B.4', () => {
  expect(crc32c(from(32, () => 0))).toBe(0x8a9136aa);
  expect(crc32c(from(32, () => 0xff))).toBe(0x62a8ab43);
  expect(crc32c(from(32, i => i))).toBe(0x46dd794e);
  expect(crc32c(from(32, i => 31 - i))).toBe(0x113fdb5c);
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32cHex(new Uint8Array(0))).toBe('00000000');
});

/** Bit by bit, as the definition has it. */
function plain(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('equals the definition at any length and alignment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(8), (bytes, skip) => {
      expect(crc32c(bytes.subarray(skip))).toBe(plain(bytes.subarray(skip)));
    }),
  );
});
