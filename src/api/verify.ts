import { verifyGateRun } from '../gate/run.js';
import { isGateRun } from '../gate/run-manifest.js';
import { nodeFiles } from '../run/files.js';
import { type Verification, verifyRun } from '../run/verify.js';

/** Checks the run of a judge or a gate audit, without changing it. Errors: RUN_NOT_FOUND, RUN_MISMATCH, IO. */
export function verifyAnyRun(dir: string): Verification {
  return isGateRun(nodeFiles, dir) ? verifyGateRun(dir) : verifyRun(dir);
}
