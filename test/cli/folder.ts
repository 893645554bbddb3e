import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder that stays until `remove` is called, for runs that several tests look at. */
export function keptFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'plumbline-audit-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
