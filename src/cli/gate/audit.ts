import { Command } from 'commander';
import {
  type GateAuditEvents,
  type GateAuditRequest,
  resumeGateAudit,
  runGateAudit,
} from '../../api/gate-audit.js';
import type { GateAudit } from '../../gate/audit.js';
import { gateAuditText } from '../../report/gate-audit-text.js';
import { onInterrupt } from '../interrupt.js';
import { note, printData, printJson } from '../output.js';
import { createProgress } from '../progress.js';
import { refuseAllBut } from '../refuse.js';
import { stdoutStyle } from '../style.js';
import { addEncoderOptions, type EncoderFlags, encoderOptions } from './encoder-options.js';
import { finiteNumber, GATE_SEED } from './options.js';

interface Flags extends EncoderFlags {
  readonly gate?: string;
  readonly corpus: string;
  readonly out?: string;
  readonly resume?: string;
  readonly force?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

export function gateAuditCommand(): Command {
  const command = new Command('audit').description(
    'Audit encoders, and what a threshold on their scores approves, on a factorial corpus.',
  );
  return addEncoderOptions(command, 'give it once for each encoder')
    .option('--gate <name>', 'a preset, or a JSON file with a gate of your own')
    .option('--corpus <spec>', 'builtin, held-out, polaritycheck:DIR or jsonl:FILE', 'builtin')
    .option('--out <dir>', 'folder of the run: a row for each pair, summary.json and the picture scores.svg')
    .option('--resume <dir>', 'go on with an audit that was interrupted; takes no other option but --json')
    .option('--force', 'go on with a corpus that is not interpretable')
    .option('--seed <n>', 'seed of the bootstrap', finiteNumber, GATE_SEED)
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate audit --encoder gguf:all-MiniLM-L6-v2-F16.gguf --gate gptcache',
    )
    .action(async (flags: Flags, self: Command) => {
      const { resume } = flags;
      if (resume !== undefined)
        refuseAllBut(
          self,
          ['resume', 'json'],
          '--resume takes its settings from the run and no other option',
        );
      const progress = createProgress('pairs');
      const interrupt = onInterrupt('Stopping after this batch of pairs. Once more to stop at once.');
      const events = {
        signal: interrupt.signal,
        onPairs: (done: number, total: number) => progress.update(done, total),
      };
      try {
        const audit =
          resume === undefined ? await runGateAudit(request(flags), events) : await goOn(resume, events);
        progress.stop();
        if (flags.json) printJson(audit);
        else printData(gateAuditText(audit, stdoutStyle()));
      } finally {
        progress.stop();
        interrupt.release();
      }
    });
}

function request(flags: Flags): GateAuditRequest {
  return {
    corpus: flags.corpus,
    encoders: flags.encoder ?? [],
    encoderOptions: encoderOptions(flags),
    gate: flags.gate ?? null,
    out: flags.out ?? null,
    force: flags.force === true,
    seed: flags.seed,
  };
}

async function goOn(dir: string, events: GateAuditEvents): Promise<GateAudit> {
  const { audit, alreadyComplete } = await resumeGateAudit(dir, events);
  if (alreadyComplete) note('Every pair was scored already; no encoder was asked.');
  return audit;
}
