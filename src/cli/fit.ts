import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CONTRASTS, type Contrast, FIT_DEFAULTS, fitDirection } from '../api/fit.js';
import { PlumblineError } from '../errors.js';
import { quoted } from '../report/audit-text.js';
import { fitText, isCrowded, tooLongText } from '../report/fit-text.js';
import { onInterrupt } from './interrupt.js';
import {
  type AuditFlags,
  addCorpusOptions,
  addEngineOptions,
  auditOptions,
  integerList,
  positiveInteger,
} from './options.js';
import { note, printData, printJson } from './output.js';
import { createProgress } from './progress.js';
import { stdoutStyle } from './style.js';

interface Flags extends AuditFlags {
  readonly out?: string;
  readonly layers?: number[];
  readonly pairs: number;
  readonly nullDraws: number;
  readonly contrast: Contrast;
  readonly eachDomain?: boolean;
  readonly json?: boolean;
}

/** Reading the prompts takes long; what would keep the result from being written is said before. */
function refuseTaken(out: string): void {
  if (existsSync(out))
    throw new PlumblineError('USAGE', `${out} is there already: choose another --out, or remove it.`);
  const folder = dirname(resolve(out));
  if (!existsSync(folder))
    throw new PlumblineError('IO', `${out}: there is no folder ${folder}; create it first.`);
}

export function fitCommand(): Command {
  const command = new Command('fit')
    .description(
      'Fit the direction in the residual stream that tells compliant prompts from non-compliant ones.',
    )
    .option('--model <file>', 'the judge, a GGUF file')
    .option('--out <file>', 'control-vector GGUF to write')
    .option('--layers <list>', 'blocks from 0, negative from the end (default: all)', integerList)
    .option('--pairs <n>', 'labelled pairs per domain', positiveInteger, FIT_DEFAULTS.pairs)
    .option(
      '--null-draws <n>',
      'random directions that the result is held against',
      positiveInteger,
      FIT_DEFAULTS.nullDraws,
    )
    .addOption(
      new Option('--contrast <kind>', 'what tells positive from negative')
        .choices(CONTRASTS)
        .default(FIT_DEFAULTS.contrast),
    )
    .option('--each-domain', 'also fit every domain alone')
    .option('--json', 'print the report as JSON');
  return addEngineOptions(addCorpusOptions(command))
    .addHelpText(
      'after',
      '\nExample:\n  plumbline fit --model judge.gguf --corpus crossed --per-domain all --contrast rule --out compliance.gguf\n',
    )
    .action(async (flags: Flags) => {
      const { out } = flags;
      if (out === undefined) throw new PlumblineError('USAGE', 'No file was named: give --out FILE.gguf.');
      refuseTaken(out);
      const progress = createProgress('prompts');
      const interrupt = onInterrupt('Stopping; nothing is written.');
      try {
        const report = await fitDirection(
          {
            audit: await auditOptions(flags),
            layers: flags.layers ?? null,
            pairs: flags.pairs,
            nullDraws: flags.nullDraws,
            contrast: flags.contrast,
            perDomain: flags.eachDomain ?? false,
          },
          out,
          {
            signal: interrupt.signal,
            onStage: text => progress.say(text),
            onLoad() {},
            onRow: (done, total) => progress.update(done, total),
          },
        );
        progress.stop();
        if (flags.json === true) {
          if (report.tooLong.ids.length > 0) note(tooLongText(report));
          const { fit: fitted, perDomain: _each, ...rest } = report;
          const { splits: _splits, ...figures } = fitted;
          printJson({
            ...rest,
            fit: { ...figures, layers: fitted.layers.map(({ direction: _, ...layer }) => layer) },
          });
        } else printData(fitText(report, stdoutStyle()));
        note(
          report.fit.null.p > 0.05
            ? `Written: ${quoted(out)}. ${isCrowded(report.fit.null) ? 'Random directions do as well: AUROC does not single it out.' : 'It does not beat random directions, so ICS along it means nothing yet.'}`
            : `Written: ${quoted(out)}. Next: npx plumbline audit --direction ${quoted(out)} …`,
        );
      } finally {
        progress.stop();
        interrupt.release();
      }
    });
}
