import { type Command, Option } from 'commander';
import { ENCODER_DEFAULTS, type EncoderOptions } from '../../api/scorers.js';
import { POOLINGS, type Pooling } from '../../engine/encoder-session.js';
import { GPU_OPTIONS, type GpuOption } from '../../engine/hardware.js';
import { ENCODER_SPECS } from '../../gate/find-scorer.js';
import { positiveInteger, threadCount } from '../options.js';
import { repeated } from './options.js';

export interface EncoderFlags {
  readonly encoder?: readonly string[];
  readonly pooling?: Pooling;
  readonly prefix?: string;
  readonly layerNorm?: boolean;
  readonly dims?: number;
  readonly gpu?: GpuOption;
  readonly threads?: number;
}

/** Options that name encoders and say how GGUF files are used as such. `several`: what is done with more than one. */
export function addEncoderOptions(command: Command, several: string): Command {
  return command
    .option('--encoder <spec>', `${ENCODER_SPECS}; ${several}`, repeated)
    .addOption(
      new Option('--pooling <kind>', 'gguf: how rows become one vector (default: as the file says)').choices(
        Object.keys(POOLINGS),
      ),
    )
    .option('--prefix <text>', 'gguf: put before every text, as "query: "')
    .option('--layer-norm', 'gguf: normalise the whole vector before it is cut')
    .option('--dims <n>', 'gguf: numbers of the vector that are kept (Matryoshka)', positiveInteger)
    .addOption(
      new Option('--gpu <backend>', 'where GGUF encoders compute (default: auto)').choices(GPU_OPTIONS),
    )
    .option('--threads <n>', 'threads of a GGUF encoder (default: one per core)', threadCount);
}

export function encoderOptions(flags: EncoderFlags): EncoderOptions {
  const { settings, engine } = ENCODER_DEFAULTS;
  return {
    settings: {
      pooling: flags.pooling ?? settings.pooling,
      prefix: flags.prefix ?? settings.prefix,
      layerNorm: flags.layerNorm ?? settings.layerNorm,
      dims: flags.dims ?? settings.dims,
    },
    engine: { gpu: flags.gpu ?? engine.gpu, threads: flags.threads ?? engine.threads },
  };
}
