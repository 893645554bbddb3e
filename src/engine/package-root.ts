import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let root: string | undefined;

/** The folder of this package: the nearest one above this file with a package.json (src/ and dist/ alike). */
export function packageRoot(): string {
  if (root !== undefined) return root;
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json of plumbline not found above its own files');
    folder = parent;
  }
  root = folder;
  return root;
}
