import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(process.env.PLUMBLINE_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url)));

/** Path of a file or folder of the reference material, or null when this machine does not have it. */
export function shared(...segments: readonly string[]): string | null {
  const path = resolve(root, ...segments);
  return existsSync(path) ? path : null;
}

/** Says plainly what is skipped for want of which file. */
export function skipNote(what: string, ...segments: readonly string[]): void {
  console.warn(`skipped: ${what} (needs ${segments.join('/')} in ../shared or $PLUMBLINE_SHARED)`);
}
