import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';

/** A fresh folder for each call, removed after the test. */
const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) fs.rmSync(dir, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'plumbline-run-'));
  made.push(dir);
  return dir;
}
