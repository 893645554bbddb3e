/*
 * The two hashes that spaCy's models depend on, by Austin Appleby (public domain): MurmurHash64A names strings, and
 * MurmurHash3 (128 bits, of one 64-bit key) picks the rows of an embedding table.
 */

const mask = (value: bigint): bigint => BigInt.asUintN(64, value);

const M = 0xc6a4a7935bd1e995n;

/** MurmurHash64A of bytes. */
export function hash64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = mask(seed ^ (BigInt(bytes.length) * M));
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) {
    let block = mask(view.getBigUint64(at, true) * M);
    block = mask((block ^ (block >> 47n)) * M);
    hash = mask((hash ^ block) * M);
  }
  if (whole < bytes.length) {
    let rest = 0n;
    for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8n) | BigInt(bytes[at] ?? 0);
    hash = mask((hash ^ rest) * M);
  }
  hash = mask((hash ^ (hash >> 47n)) * M);
  return hash ^ (hash >> 47n);
}

/** Four 32-bit numbers of a 64-bit key. */
export function hash4(key: bigint, seed: bigint): readonly [number, number, number, number] {
  let h1 = mask(key * 0x87c37b91114253d5n);
  h1 = mask((h1 << 31n) | (h1 >> 33n));
  h1 = mask(h1 * 0x4cf5ad432745937fn) ^ seed ^ 8n;
  let h2 = seed ^ 8n;
  h1 = mask(h1 + h2);
  h2 = mask(h2 + h1);
  h1 = finish(h1);
  h2 = finish(h2);
  h1 = mask(h1 + h2);
  h2 = mask(h2 + h1);
  return [low(h1), high(h1), low(h2), high(h2)];
}

function finish(hash: bigint): bigint {
  let value = mask((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn);
  value = mask((value ^ (value >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return value ^ (value >> 33n);
}

const low = (value: bigint): number => Number(value & 0xffffffffn);
const high = (value: bigint): number => Number(value >> 32n);
