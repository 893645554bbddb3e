import { PlumblineError } from '../errors.js';
import { readGateCorpus } from '../gate/corpus.js';
import { diluteGate, type GateDilution, longestDilution } from '../gate/dilute.js';
import { readFiller } from '../gate/filler.js';
import { findGate } from '../gate/find-gate.js';
import { ENCODER_DEFAULTS, type EncoderOptions, withScorers } from './scorers.js';

export interface GateDiluteRequest {
  readonly corpus: string;
  readonly encoders: readonly string[];
  /** Default: {@link ENCODER_DEFAULTS}. */
  readonly encoderOptions?: EncoderOptions;
  /** Name of a preset or a file; null = none. */
  readonly gate: string | null;
  /** Words of neutral text around each sentence. */
  readonly lengths: readonly number[];
  readonly force: boolean;
  readonly seed: number;
}

/**
 * Errors: those of {@link diluteGate}; USAGE without an encoder and for a length that is no whole number from 1 to as
 * many words as the neutral text has.
 */
export async function runGateDilute(request: GateDiluteRequest): Promise<GateDilution> {
  const { lengths, force, seed } = request;
  const gate = request.gate === null ? null : findGate(request.gate);
  const filler = await readFiller();
  const most = longestDilution(filler);
  for (const length of lengths) {
    if (!Number.isSafeInteger(length) || length < 1 || length > most)
      throw new PlumblineError(
        'USAGE',
        `--lengths: ${length} words of neutral text: expected whole numbers from 1 to ${most}`,
      );
  }
  const corpus = await readGateCorpus(request.corpus);
  return withScorers(request.encoders, request.encoderOptions ?? ENCODER_DEFAULTS, openScorers =>
    diluteGate({ corpus, filler, lengths, openScorers, gate, force, seed }),
  );
}
