import { PlumblineError } from '../errors.js';
import { cosineScorer, type Scorer, TOKEN_JACCARD } from './encoder.js';
import { vectorsEncoder } from './vectors-file.js';

/** Opens the scorer of one `--encoder`: `token-jaccard`, or `vectors:FILE`. Errors: USAGE, VECTORS_INVALID. */
export async function findScorer(spec: string): Promise<Scorer> {
  if (spec === TOKEN_JACCARD.name) return TOKEN_JACCARD;
  const colon = spec.indexOf(':');
  const [kind, place] = [spec.slice(0, Math.max(0, colon)), spec.slice(colon + 1)];
  if (kind === 'vectors' && place !== '') return cosineScorer(await vectorsEncoder(place));
  throw new PlumblineError(
    'USAGE',
    `encoder ${JSON.stringify(spec)} is not understood; expected token-jaccard or vectors:FILE`,
  );
}
