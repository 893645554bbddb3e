import { availableParallelism } from 'node:os';
import { PlumblineError } from '../errors.js';
import type { Scorer } from '../gate/encoder.js';
import { type GgufSettings, PLAIN_SETTINGS } from '../gate/encoder-config.js';
import { findScorer, takesSettings } from '../gate/find-scorer.js';
import { type EncoderEngine, openGgufEncoder } from './gguf-encoder.js';

/** How GGUF encoders are opened: the settings of those named `gguf:FILE`, and the engine of all. */
export interface EncoderOptions {
  readonly settings: GgufSettings;
  readonly engine: EncoderEngine;
}

export const ENCODER_DEFAULTS: EncoderOptions = {
  settings: PLAIN_SETTINGS,
  engine: { gpu: 'auto', threads: availableParallelism() },
};

/**
 * Lends the scorers of `--encoder` and closes their engine processes afterwards, whatever happens. They are opened when
 * `open` is called. Errors: USAGE for no encoder and for settings that no encoder takes; those of opening one.
 */
export async function withScorers<T>(
  specs: readonly string[],
  { settings, engine }: EncoderOptions,
  use: (open: () => Promise<readonly Scorer[]>) => Promise<T>,
): Promise<T> {
  if (specs.length === 0)
    throw new PlumblineError('USAGE', 'No encoder was named: give --encoder, once for each encoder.');
  refuseIdleSettings(specs, settings);
  const closing: (() => Promise<void>)[] = [];
  const openGguf: Parameters<typeof findScorer>[1]['openGguf'] = async config => {
    const { encoder, close } = await openGgufEncoder(config, engine);
    closing.push(close);
    return encoder;
  };
  try {
    return await use(async () => {
      const scorers: Scorer[] = [];
      for (const spec of specs) scorers.push(await findScorer(spec, { settings, openGguf }));
      return withOwnNames(scorers);
    });
  } finally {
    await Promise.all(closing.map(close => close()));
  }
}

/** Rows are found by the encoder's name: a second one of a name is told apart by its place among them. */
export function withOwnNames(scorers: readonly Scorer[]): readonly Scorer[] {
  return scorers.map((scorer, i) => {
    const before = scorers.slice(0, i).filter(({ name }) => name === scorer.name).length;
    return before === 0 ? scorer : { ...scorer, name: `${scorer.name} #${before + 1}` };
  });
}

function refuseIdleSettings(
  specs: readonly string[],
  { pooling, prefix, layerNorm, dims }: GgufSettings,
): void {
  const given = [
    ...(pooling === null ? [] : ['--pooling']),
    ...(prefix === '' ? [] : ['--prefix']),
    ...(layerNorm ? ['--layer-norm'] : []),
    ...(dims === null ? [] : ['--dims']),
  ];
  if (given.length === 0 || specs.some(takesSettings)) return;
  throw new PlumblineError(
    'USAGE',
    `${given.join(' and ')}: only gguf:FILE takes such settings, and no encoder here is one. A preset or a config file has its own.`,
  );
}
