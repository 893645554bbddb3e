import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { messageOf, PlumblineError } from '../errors.js';

const WINDOW = 1 << 20;

/**
 * Little-endian reader over a file through a sliding window, so that memory does not follow what the file claims.
 * Every read is checked against `end`; `fail` names the file and the byte offset.
 */
export interface GgufBytes {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Byte offset of the next read. */
  position(): number;
  u8(what: string): number;
  u16(what: string): number;
  u32(what: string): number;
  /** A count, size or offset: a value above 2^53 cannot be right in any file and is refused. */
  u64(what: string): number;
  bigU64(what: string): bigint;
  bigI64(what: string): bigint;
  i8(what: string): number;
  i16(what: string): number;
  i32(what: string): number;
  f32(what: string): number;
  f64(what: string): number;
  /** A length-prefixed string; at most `maxBytes` long. `latin1` gives one character per byte, for comparing. */
  string(what: string, maxBytes: number, encoding?: 'utf8' | 'latin1'): string;
  skip(bytes: number, what: string): void;
  /** Throws GGUF_INVALID for the field that starts at byte `at`. */
  fail(at: number, problem: string, advice?: string): never;
  close(): void;
}

/**
 * Opens a regular file for reading. `limit` is the last byte a header may reach.
 * @throws PlumblineError MODEL_NOT_FOUND when it is missing, no regular file or unreadable.
 */
export function openGgufBytes(path: string, limit: number): GgufBytes {
  const { descriptor, size } = openRegularFile(path);
  const end = Math.min(size, limit);
  let window = Buffer.alloc(0);
  let windowStart = 0;
  let at = 0;

  function fail(
    offset: number,
    problem: string,
    advice = 'The file is damaged or incomplete: download or convert it again.',
  ): never {
    throw new PlumblineError('GGUF_INVALID', `${path}: byte ${offset}: ${problem}. ${advice}`);
  }

  /** Makes `bytes` bytes from `at` available and gives their index in the window. */
  function need(bytes: number, what: string): number {
    if (bytes > end - at) {
      fail(
        at,
        size <= limit
          ? `${what} needs ${bytes} more bytes, but the file ends at byte ${size}`
          : `${what} would reach past byte ${limit}, expected a header no longer than that`,
      );
    }
    if (at < windowStart || at + bytes > windowStart + window.length) {
      const length = Math.min(Math.max(WINDOW, bytes), end - at);
      const buffer = window.length === length ? window : Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const got = readSync(descriptor, buffer, filled, length - filled, at + filled);
        if (got === 0) fail(at + filled, 'the file became shorter while it was read');
        filled += got;
      }
      window = buffer;
      windowStart = at;
    }
    return at - windowStart;
  }

  function take<T>(bytes: number, what: string, read: (index: number) => T): T {
    const value = read(need(bytes, what));
    at += bytes;
    return value;
  }

  function u64(what: string): number {
    const start = at;
    const value = take(8, what, i => window.readUInt32LE(i) + window.readUInt32LE(i + 4) * 2 ** 32);
    if (value > Number.MAX_SAFE_INTEGER) {
      const exact = window.readBigUInt64LE(start - windowStart);
      fail(start, `${what} is ${exact}, more than any file can hold`);
    }
    return value;
  }

  return {
    path,
    size,
    position: () => at,
    u8: what => take(1, what, i => window.readUInt8(i)),
    u16: what => take(2, what, i => window.readUInt16LE(i)),
    u32: what => take(4, what, i => window.readUInt32LE(i)),
    u64,
    bigU64: what => take(8, what, i => window.readBigUInt64LE(i)),
    bigI64: what => take(8, what, i => window.readBigInt64LE(i)),
    i8: what => take(1, what, i => window.readInt8(i)),
    i16: what => take(2, what, i => window.readInt16LE(i)),
    i32: what => take(4, what, i => window.readInt32LE(i)),
    f32: what => take(4, what, i => window.readFloatLE(i)),
    f64: what => take(8, what, i => window.readDoubleLE(i)),
    string(what, maxBytes, encoding = 'utf8') {
      const start = at;
      const length = u64(what);
      if (length > maxBytes) fail(start, `${what} is ${length} bytes long, expected at most ${maxBytes}`);
      return take(length, what, i => window.toString(encoding, i, i + length));
    },
    skip(bytes, what) {
      if (bytes > end - at) need(bytes, what);
      at += bytes;
    },
    fail,
    close: () => closeSync(descriptor),
  };
}

function openRegularFile(path: string): { readonly descriptor: number; readonly size: number } {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) {
      const kind = stat.isDirectory() ? 'a directory' : 'not a regular file';
      throw new PlumblineError('MODEL_NOT_FOUND', `${path} is ${kind}. Expected the path of a .gguf file.`);
    }
    return { descriptor: openSync(path, 'r'), size: stat.size };
  } catch (error) {
    if (error instanceof PlumblineError) throw error;
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new PlumblineError(
      'MODEL_NOT_FOUND',
      missing
        ? `${path} does not exist. Expected the path of a .gguf file.`
        : `${path} cannot be read (${messageOf(error)}). Check the path and its permissions.`,
      { cause: error },
    );
  }
}
