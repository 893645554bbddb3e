import { Command, Option } from 'commander';
import {
  checkHyperbolic,
  exponentialMap,
  HYPERBOLIC_MODELS,
  type HyperbolicModel,
} from '../../gate/hyperbolic.js';
import { readVectors } from '../../gate/vectors-file.js';
import { hyperbolicText } from '../../report/gate-repair-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { positiveNumber } from './options.js';

interface Flags {
  readonly model: HyperbolicModel;
  readonly curvature: number;
  readonly project?: boolean;
  readonly json?: boolean;
}

export function gateHyperbolicCommand(): Command {
  return new Command('hyperbolic')
    .description(
      'Say whether points of hyperbolic space are a no-op: all at one radius, so that distances rank pairs as the cosine does.',
    )
    .argument('<vectors>', 'file of vectors: .jsonl, .arrow or .parquet')
    .addOption(
      new Option('--model <name>', 'model of the points').choices(HYPERBOLIC_MODELS).default('poincare'),
    )
    .option('--curvature <c>', 'the space has curvature -c', positiveNumber, 1)
    .option(
      '--project',
      'the vectors are Euclidean: put them through the exponential map at the origin first',
    )
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', '\nExample:\n  plumbline gate hyperbolic projected.parquet --model lorentz')
    .action(async (file: string, { model, curvature, project, json }: Flags) => {
      const vectors = (await readVectors(file)).map(({ vector }) => vector);
      const points = project ? vectors.map(vector => exponentialMap(vector, model, curvature)) : vectors;
      const check = checkHyperbolic(points, model, curvature);
      if (json) printJson(check);
      else printData(hyperbolicText(check, stdoutStyle()));
    });
}
