import { readGatePairs, verifyGateRun } from '../gate/run.js';
import { type GateManifest, readGateManifest } from '../gate/run-manifest.js';
import { nodeFiles } from '../run/files.js';
import type { Verification } from '../run/verify.js';

/** What `inspect` says about a gate audit. */
export interface GateRunFacts {
  readonly kind: 'gate audit';
  readonly manifest: GateManifest;
  readonly verification: Verification;
  /** Rows that are there, by encoder; null when the run is too damaged to read. */
  readonly encoders: readonly EncoderRows[] | null;
}

export interface EncoderRows {
  readonly encoder: string;
  readonly rows: number;
  readonly scored: number;
  /** Rows without a score, by flag. */
  readonly flagged: Readonly<Record<string, number>>;
}

/** Errors: RUN_NOT_FOUND, USAGE, RUN_MISMATCH, RUN_DAMAGED (the manifest alone), IO. */
export function gateRunFacts(dir: string): GateRunFacts {
  const manifest = readGateManifest(nodeFiles, dir);
  const verification = verifyGateRun(dir);
  return {
    kind: 'gate audit',
    manifest,
    verification,
    encoders: verification.details && countRows(dir, manifest),
  };
}

function countRows(dir: string, { encoders }: GateManifest): readonly EncoderRows[] {
  const rows = readGatePairs(dir);
  return encoders.map(({ name }) => {
    const own = rows.filter(({ encoder }) => encoder === name);
    const flagged: Record<string, number> = {};
    for (const { flag } of own) if (flag !== null) flagged[flag] = (flagged[flag] ?? 0) + 1;
    return {
      encoder: name,
      rows: own.length,
      scored: own.filter(({ score }) => score !== null).length,
      flagged,
    };
  });
}
