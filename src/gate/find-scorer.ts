import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { cosineScorer, type Encoder, type Scorer, TOKEN_JACCARD } from './encoder.js';
import { type GgufConfig, type GgufSettings, readEncoderConfig } from './encoder-config.js';
import { presetConfig } from './encoder-presets.js';
import { endpointEncoder } from './endpoint-encoder.js';
import { vectorsEncoder } from './vectors-file.js';

/** The forms of `--encoder`, for help and messages. */
export const ENCODER_SPECS =
  'gguf:FILE, preset:NAME=FILE, config:FILE, http(s)://HOST/v1/embeddings#MODEL, vectors:FILE or token-jaccard';

export interface ScorerOpener {
  /** Settings of `gguf:FILE`; a preset and a config file bring their own. */
  readonly settings: GgufSettings;
  readonly openGguf: (config: GgufConfig) => Promise<Encoder>;
}

/** Opens the scorer of one `--encoder`. Errors: USAGE, VECTORS_INVALID, ENDPOINT, what `openGguf` throws. */
export async function findScorer(spec: string, { settings, openGguf }: ScorerOpener): Promise<Scorer> {
  if (spec === TOKEN_JACCARD.name) return TOKEN_JACCARD;
  if (/^https?:/i.test(spec)) return cosineScorer(endpointEncoder(spec));
  const [kind, place] = splitSpec(spec);
  if (place !== '') {
    if (kind === 'vectors') return cosineScorer(await vectorsEncoder(place));
    if (kind === 'gguf') return cosineScorer(await openGguf({ path: place, preset: null, ...settings }));
    if (kind === 'preset') return cosineScorer(await openGguf(presetConfig(place)));
    if (kind === 'config') return cosineScorer(await openGguf(readEncoderConfig(place)));
  }
  throw new PlumblineError(
    'USAGE',
    `encoder ${JSON.stringify(spec)} is not understood; expected ${ENCODER_SPECS}`,
  );
}

/** Whether the settings of the command are for this encoder. */
export function takesSettings(spec: string): boolean {
  return splitSpec(spec)[0] === 'gguf';
}

/** An encoder as on the command line, with an absolute path where it has one. */
export function absoluteSpec(spec: string): string {
  const [, before = '', place = ''] = /^(vectors:|gguf:|config:|preset:[^=]*=)(.+)$/s.exec(spec) ?? [];
  return before === '' ? spec : before + path.resolve(place);
}

function splitSpec(spec: string): readonly [kind: string, place: string] {
  const colon = spec.indexOf(':');
  return [spec.slice(0, Math.max(0, colon)), spec.slice(colon + 1)];
}
