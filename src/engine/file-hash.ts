import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256, hexadecimal, over the bytes of the files one after the other: the parts of a split model are one model. */
export async function hashFiles(paths: readonly string[], signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash, {
      end: false,
      ...(signal && { signal }),
    });
  }
  return hash.digest('hex');
}
