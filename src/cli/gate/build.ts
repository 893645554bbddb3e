import { Command } from 'commander';
import { buildPairs, pairLines, readCandidates } from '../../gate/build.js';
import { checkCorpus } from '../../gate/check.js';
import { readGateCorpus } from '../../gate/corpus.js';
import { gateCheckText } from '../../report/gate-check-text.js';
import { nodeFiles, writeAtomically } from '../../run/files.js';
import { EXIT, printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { GATE_SEED } from './options.js';

interface Flags {
  readonly out: string;
  readonly json?: boolean;
}

export function gateBuildCommand(): Command {
  return new Command('build')
    .description(
      'Build a factorial corpus: of the paraphrases written for each cell, take the one whose overlap is nearest to the reversal. Then check it.',
    )
    .argument('<candidates>', 'file of candidates, one anchor a line (docs/gates.md)')
    .requiredOption('--out <file>', 'file of pairs to write')
    .option('--json', 'print the check as JSON')
    .addHelpText('after', '\nExample:\n  plumbline gate build candidates.jsonl --out pairs.jsonl')
    .action(async (candidates: string, { out, json }: Flags) => {
      const lines = pairLines(buildPairs(readCandidates(candidates)));
      writeAtomically(nodeFiles, out, Buffer.from(lines, 'utf8'));
      const check = checkCorpus(await readGateCorpus(`jsonl:${out}`), GATE_SEED);
      if (json) printJson(check);
      else printData(gateCheckText(check, stdoutStyle()));
      if (!check.interpretable) process.exitCode = EXIT.notInterpretable;
    });
}
