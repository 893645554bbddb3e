import { byCloseness } from '../corpus/closeness.js';
import { PlumblineError } from '../errors.js';
import { type GgufConfig, type GgufSettings, PLAIN_SETTINGS } from './encoder-config.js';

/** How the card of a published model says that it is to be used. */
export interface EncoderPreset extends GgufSettings {
  readonly name: string;
  readonly model: string;
  readonly remark: string | null;
}

const mean = { ...PLAIN_SETTINGS, pooling: 'mean', remark: null } as const;
const cls = { ...PLAIN_SETTINGS, pooling: 'cls', remark: null } as const;

/** The nine configurations that the published audit measured. */
export const ENCODER_PRESETS: readonly EncoderPreset[] = [
  {
    ...mean,
    name: 'nomic-v1.5-256',
    model: 'nomic-ai/nomic-embed-text-v1.5',
    prefix: 'search_document: ',
    layerNorm: true,
    dims: 256,
  },
  {
    ...mean,
    name: 'nomic-v1.5-clustering',
    model: 'nomic-ai/nomic-embed-text-v1.5',
    prefix: 'clustering: ',
  },
  {
    ...mean,
    name: 'all-MiniLM-L6-v2',
    model: 'sentence-transformers/all-MiniLM-L6-v2',
    remark: 'the original library cuts texts at 256 tokens, a GGUF file reads 512',
  },
  {
    ...mean,
    name: 'all-mpnet-base-v2',
    model: 'sentence-transformers/all-mpnet-base-v2',
    remark:
      'llama.cpp has no MPNet, so a GGUF file of it is refused or computes something else: use an endpoint or a file of vectors',
  },
  { ...cls, name: 'bge-base-en-v1.5', model: 'BAAI/bge-base-en-v1.5' },
  { ...mean, name: 'gte-base', model: 'thenlper/gte-base' },
  { ...mean, name: 'e5-base-v2-query', model: 'intfloat/e5-base-v2', prefix: 'query: ' },
  {
    ...mean,
    name: 'e5-base-v2-none',
    model: 'intfloat/e5-base-v2',
    remark: 'without the prefix that the model was trained with, as gates often leave it out',
  },
  { ...cls, name: 'mxbai-embed-large-v1', model: 'mixedbread-ai/mxbai-embed-large-v1' },
];

/** `NAME=FILE`: a preset's settings on a GGUF file. Errors: USAGE. */
export function presetConfig(assignment: string): GgufConfig {
  const equals = assignment.indexOf('=');
  const [name, file] =
    equals < 0 ? [assignment, ''] : [assignment.slice(0, equals), assignment.slice(equals + 1)];
  const preset = ENCODER_PRESETS.find(preset => preset.name === name);
  if (preset === undefined) {
    const [nearest] = byCloseness(
      name,
      ENCODER_PRESETS.map(({ name }) => name),
    );
    throw new PlumblineError(
      'USAGE',
      `no encoder preset is named ${JSON.stringify(name)}: the nearest is ${nearest}; plumbline gate presets --encoders lists all`,
    );
  }
  if (file === '') {
    throw new PlumblineError(
      'USAGE',
      `preset:${name} says how to use ${preset.model}, not where it is: write preset:${name}=FILE.gguf`,
    );
  }
  const { pooling, prefix, layerNorm, dims } = preset;
  return { path: file, preset: name, pooling, prefix, layerNorm, dims };
}
