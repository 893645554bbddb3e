import { statSync } from 'node:fs';
import { Command } from 'commander';
import { gateRunFacts } from '../api/gate-run-facts.js';
import { runFacts } from '../api/run-facts.js';
import { sampleView } from '../api/sample-view.js';
import { hashFiles } from '../engine/file-hash.js';
import { readGgufHeader } from '../engine/gguf-header.js';
import { PlumblineError } from '../errors.js';
import { isGateRun } from '../gate/run-manifest.js';
import { gateRunText } from '../report/inspect-gate-run.js';
import { ggufFacts, ggufText } from '../report/inspect-gguf.js';
import { runText } from '../report/inspect-run.js';
import { sampleText } from '../report/inspect-sample.js';
import type { Style } from '../report/table.js';
import { attempt, nodeFiles } from '../run/files.js';
import { EXIT, printData, printJson } from './output.js';
import { stdoutStyle } from './style.js';

interface Flags {
  readonly sample?: string;
  readonly hash?: boolean;
  readonly json?: boolean;
}

export function inspectCommand(): Command {
  return new Command('inspect')
    .description(
      'Show what a GGUF file is, what a run or a gate audit was made with and holds, or one sample of a run whole.',
    )
    .argument('<path>', 'a GGUF file or the folder of a run')
    .option(
      '--sample <id>',
      'show this sample of the run: its id, or a beginning or end that no other id has',
    )
    .option('--hash', 'also compute the SHA-256 of a GGUF file, which reads all of it')
    .option('--json', 'print everything as JSON')
    .addHelpText('after', '\nExample:\n  plumbline inspect run/ --sample ccpa_0.json#12')
    .action(async (path: string, flags: Flags) => {
      const { value, text, damaged = false } = await look(path, flags);
      if (flags.json) printJson(value);
      else printData(text(stdoutStyle()));
      if (damaged) process.exitCode = EXIT.damaged;
    });
}

/** What was found, as data and as text. */
interface Found {
  readonly value: unknown;
  readonly text: (style: Style) => string;
  /** A run that does not verify: what was found is shown, and the command fails as `verify` does. */
  readonly damaged?: boolean;
}

async function look(path: string, { sample, hash = false }: Flags): Promise<Found> {
  if (!isFolder(path)) {
    if (sample !== undefined) {
      throw new PlumblineError(
        'USAGE',
        `--sample shows a sample of a run, and ${path} is a file: name the folder of a run`,
      );
    }
    const header = await readGgufHeader(path);
    const facts = ggufFacts(header, hash ? await hashFiles(header.parts) : null, process.arch);
    return { value: facts, text: style => ggufText(facts, style) };
  }
  if (hash) throw new PlumblineError('USAGE', `--hash is for GGUF files, and ${path} is a folder`);
  if (isGateRun(nodeFiles, path)) {
    if (sample !== undefined)
      throw new PlumblineError('USAGE', `--sample is for runs of a judge, and ${path} is a gate audit`);
    const facts = gateRunFacts(path);
    return { value: facts, text: style => gateRunText(path, facts, style), damaged: isDamaged(facts) };
  }
  if (sample !== undefined) {
    const view = await sampleView(path, sample);
    return { value: view, text: style => sampleText(view, style) };
  }
  const facts = runFacts(path);
  return { value: facts, text: style => runText(path, facts, style), damaged: isDamaged(facts) };
}

function isDamaged({ verification }: { readonly verification: { readonly state: string } }): boolean {
  return verification.state === 'damaged';
}

/** Errors: MODEL_NOT_FOUND when there is nothing at all; IO. */
function isFolder(path: string): boolean {
  const found = attempt('look at', path, () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) {
    throw new PlumblineError(
      'MODEL_NOT_FOUND',
      `${path} does not exist: expected a GGUF file or the folder of a run`,
    );
  }
  return found.isDirectory();
}
