/** Castagnoli's polynomial, bit-reversed (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;

/** Eight tables of 256: table k holds the effect of a byte that k more bytes follow, so that eight go in one step. */
const TABLES: readonly Uint32Array[] = makeTables();

function makeTables(): readonly Uint32Array[] {
  const first = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    first[byte] = crc;
  }
  const tables = [first];
  for (let k = 1; k < 8; k++) {
    const previous = tables[k - 1] as Uint32Array;
    tables.push(previous.map(crc => (crc >>> 8) ^ (first[crc & 0xff] as number)));
  }
  return tables;
}

/** CRC-32C of `bytes` as an unsigned 32-bit number. */
export function crc32c(bytes: Uint8Array): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as unknown as readonly [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (table: Uint32Array, index: number): number => table[index & 0xff] as number;
  let crc = 0xffffffff;
  let i = 0;
  for (; i + 8 <= bytes.length; i += 8) {
    const low = crc ^ view.getUint32(i, true);
    const high = view.getUint32(i + 4, true);
    crc =
      at(t7, low) ^
      at(t6, low >>> 8) ^
      at(t5, low >>> 16) ^
      at(t4, low >>> 24) ^
      at(t3, high) ^
      at(t2, high >>> 8) ^
      at(t1, high >>> 16) ^
      at(t0, high >>> 24);
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ at(t0, crc ^ (bytes[i] as number));
  return (crc ^ 0xffffffff) >>> 0;
}

/** CRC-32C as eight hexadecimal digits, as the journal has it. */
export function crc32cHex(bytes: Uint8Array): string {
  return crc32c(bytes).toString(16).padStart(8, '0');
}
