import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../engine/package-root.js';
import { PROFILES } from '../prompt/profiles.js';
import { type AuditOptions, DEFAULTS } from './options.js';

/** The judge that travels with the package: random weights, so that everything runs without a download. */
export function demoModel(): string {
  return join(packageRoot(), 'models', 'demo-judge.gguf');
}

/** Everything that `demo` audits: the embedded judge on the embedded corpus. */
export function demoOptions(): AuditOptions {
  return { ...DEFAULTS, model: demoModel(), corpus: 'demo', perDomain: 'all', profile: PROFILES.standard };
}

/** The first of `plumbline-demo`, `plumbline-demo-2`, … that is not there yet: nothing of the user's is overwritten. */
export function freeDemoFolder(base: string): string {
  for (let n = 1; ; n++) {
    const dir = join(base, n === 1 ? 'plumbline-demo' : `plumbline-demo-${n}`);
    if (!existsSync(dir)) return dir;
  }
}
