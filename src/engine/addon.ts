import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlumblineError } from '../errors.js';
import { packageRoot } from './package-root.js';

/** Where the addon is, built or not. */
export function addonFile(): string {
  return join(packageRoot(), 'build', 'Release', 'plumbline.node');
}

/**
 * Builds the native addon when it is not there: an installation from a package archive has its sources only. In a clone
 * the set-up has built it, and rebuilds it when its sources change. Throws LIBRARY_NOT_FOUND with what is missing.
 */
export async function ensureAddon(): Promise<void> {
  if (existsSync(addonFile())) return;
  const script = pathToFileURL(join(packageRoot(), 'scripts', 'native.mjs')).href;
  const { ensureNative } = (await import(script)) as typeof import('../../scripts/native.mjs');
  try {
    await ensureNative(packageRoot());
  } catch (error) {
    const { message, output = '' } = error as { message: string; output?: string };
    throw new PlumblineError(
      'LIBRARY_NOT_FOUND',
      output === '' ? message : `${message}\n${output.trimEnd()}`,
      { cause: error },
    );
  }
}
