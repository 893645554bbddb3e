import { dot, norm } from '../direction/vector.js';
import type { Reading } from '../run/types.js';
import { sha256Of } from '../sha256.js';
import { moments } from '../stats/moments.js';
import { countIf } from './analyze-samples.js';
import type { Evidence } from './calibrate.js';

// What the instrument read of a reference model beside what the training framework read of it.

/** What is known about the files beforehand. */
export interface Known {
  /** SHA-256 of the model file, from its card. */
  readonly sha256: string;
  readonly prompts: readonly KnownPrompt[];
}

/** A prompt as the training framework reads it. */
export interface KnownPrompt {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Compliant, non-compliant: logits of the labels' first tokens, log-probabilities of the whole labels. */
  readonly logits: readonly number[];
  readonly labelLogprobs: readonly number[];
  /** Residual stream at the last token, by block. */
  readonly streams: readonly Float32Array[];
}

const byHash = ({ prompts }: Known): ReadonlyMap<string | null, KnownPrompt> =>
  new Map(prompts.map(prompt => [sha256Of(prompt.text), prompt]));

/** Share of the rows with a known prompt whose token ids are the known ones; null when no row has one. */
export function knownTokens(rows: readonly Reading[], known: Known): number | null {
  const prompts = byHash(known);
  const met = rows.filter(row => prompts.has(row.promptSha256));
  const same = (row: Reading) =>
    row.tokensSha256 === sha256Of(prompts.get(row.promptSha256)?.tokens.join(',') ?? '');
  return met.length === 0 ? null : countIf(met, same) / met.length;
}

/** Largest difference of a label's logit or log-probability from the training framework's; null when no prompt is known. */
export function offLogits(rows: readonly Reading[], known: Known): number | null {
  const prompts = byHash(known);
  return largest(
    rows.flatMap(row => {
      const prompt = prompts.get(row.promptSha256);
      if (prompt === undefined) return [];
      const read = [
        row.firstLogitCompliant,
        row.firstLogitNoncompliant,
        row.logprobCompliant,
        row.logprobNoncompliant,
      ];
      return [...prompt.logits, ...prompt.labelLogprobs].map((value, i) => value - (read[i] ?? Number.NaN));
    }),
  );
}

/** The same of the recorded projections, at any block, over the norm of the known residual stream. */
export function offStreams({ crossed, direction, fit }: Evidence, known: Known): number | null {
  const prompts = byHash(known);
  const promptOf = new Map(crossed.map(row => [row.key, prompts.get(row.promptSha256)]));
  const directions = new Map(fit.map(block => [block.layer, block.direction]));
  return largest(
    [...direction.vectors].flatMap(({ key, layer, values }) => {
      const stream = promptOf.get(key)?.streams[layer];
      const along = directions.get(layer);
      if (stream === undefined || along === undefined) return [];
      return ((values[0] ?? Number.NaN) - dot(stream, along)) / norm(stream);
    }),
  );
}

function largest(differences: readonly number[]): number | null {
  return differences.length === 0 ? null : Math.max(...differences.map(Math.abs));
}

/**
 * Mean norm of the residual stream after the first block: that of the fit over that of the known prompts. There it hardly
 * depends on anything but the token, so that it tells which token and which block the fit has read.
 */
export function fittedNorm({ fit }: Evidence, { prompts }: Known): number | null {
  const [first] = fit;
  if (first === undefined) return null;
  const known = prompts.flatMap(({ streams }) => streams[first.layer] ?? []);
  const expected = moments(known.map(norm)).mean;
  return expected ? first.residualNorm / expected : null;
}
