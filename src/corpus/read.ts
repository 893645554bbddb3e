import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf, PlumblineError } from '../errors.js';
import type { CorpusFile } from './types.js';

/**
 * Reads one corpus file whole.
 *
 * @param name how the file is called in facts and messages.
 * @throws PlumblineError CORPUS_NOT_FOUND.
 */
export async function readCorpusBytes(
  path: string,
  name: string,
): Promise<{ readonly bytes: Buffer; readonly file: CorpusFile }> {
  try {
    const bytes = await readFile(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes, file: { name, bytes: bytes.length, sha256 } };
  } catch (error) {
    throw new PlumblineError('CORPUS_NOT_FOUND', `cannot read the corpus file ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * As {@link readCorpusBytes}, as UTF-8 without a byte order mark. Text that is not UTF-8 is refused instead of being
 * repaired, since a replacement character would silently change the audited prompt.
 *
 * @throws PlumblineError CORPUS_NOT_FOUND or CORPUS_FORMAT.
 */
export async function readCorpusFile(
  path: string,
  name: string,
): Promise<{ readonly text: string; readonly file: CorpusFile }> {
  const { bytes, file } = await readCorpusBytes(path, name);
  if (!isUtf8(bytes)) {
    throw new PlumblineError(
      'CORPUS_FORMAT',
      `${path}:${firstBadLine(bytes)}: not valid UTF-8; save the file as UTF-8`,
    );
  }
  return { text: new TextDecoder('utf-8').decode(bytes), file };
}

/** Line number from 1. A line feed byte never occurs inside a UTF-8 sequence, so lines can be checked one by one. */
function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return line;
}
