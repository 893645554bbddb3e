import { relative } from 'node:path';
import { Command } from 'commander';
import { type DemoJudge, demo, freeDemoFolder } from '../api/demo.js';
import { exactnessText } from '../report/audit-text.js';
import { demoText, sentence } from '../report/demo-text.js';
import { onInterrupt } from './interrupt.js';
import { note, printData, printJson } from './output.js';
import { createProgress } from './progress.js';
import { stdoutStyle } from './style.js';

const INTRODUCTION = `plumbline demo: three small judges. Each gets a rule and a scenario and answers
Compliant or Non-compliant. Which of them reads its rule? About a minute.
`;

export function demoCommand(): Command {
  return new Command('demo')
    .description('Audit three judges of equal accuracy, of which one reads its rule: about a minute.')
    .option('--out <dir>', 'folder of the runs (default: the first free plumbline-demo)')
    .option('--json', 'print what was read as JSON')
    .addHelpText('after', '\nExample:\n  plumbline demo --out demo/\n')
    .action(async ({ out, json }: { readonly out?: string; readonly json?: boolean }) => {
      note(INTRODUCTION);
      const folder = out ?? freeDemoFolder('.');
      const progress = createProgress('rows');
      const interrupt = onInterrupt('Stopping.');
      const { judges, report } = await demo(folder, process.argv.slice(2), {
        signal: interrupt.signal,
        onStage(text) {
          progress.stop();
          progress.say(text);
        },
        onExact(name, exactness) {
          progress.stop();
          progress.say(`${name}: ${exactnessText(exactness)}`);
        },
        onRow: (done, total) => progress.update(done, total),
      }).finally(() => {
        progress.stop();
        interrupt.release();
      });
      if (json === true) return printJson({ folder, report, judges: judges.map(jsonOf) });
      note('');
      printData(demoText(judges, stdoutStyle()));
      note(closing(relative('.', folder) || folder, report, judges));
    });
}

function jsonOf({ name, run, crossedRun, use }: DemoJudge): object {
  return { name, sentence: sentence(use), run, crossedRun, ...use };
}

function closing(folder: string, report: string, judges: readonly DemoJudge[]): string {
  const [judge] = judges;
  const sample = judge?.summary.domains[0]?.domain;
  return `The runs are in ${folder}:
${judges.map(({ name }) => name).join(', ')}, and NAME-crossed for each.
The page with their figures: ${report}
What is planted in the judges: models/reference/README.md. calibrate checks it.

All tables of a run, and one case under every condition:

  npx plumbline analyze ${folder}/shortcut
  npx plumbline inspect ${folder}/shortcut --sample ${sample}/reference-confounded#0

Your own judge, on these cases and on yours:

  npx plumbline audit --model YOUR.gguf --corpus confounded --out run/
  npx plumbline audit --model YOUR.gguf --corpus crossed --out run-crossed/
  npx plumbline audit --model YOUR.gguf --corpus jsonl:YOUR.jsonl --out run/`;
}
