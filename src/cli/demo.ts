import { relative } from 'node:path';
import { Command } from 'commander';
import { analyzeRun, writeAnalysis } from '../api/analyze-run.js';
import { audit } from '../api/audit.js';
import { demoOptions, freeDemoFolder } from '../api/demo.js';
import { analysisText } from '../report/analysis-text.js';
import { readyText } from '../report/audit-text.js';
import { onInterrupt } from './interrupt.js';
import { EXIT, note, printData, printJson } from './output.js';
import { createProgress } from './progress.js';
import { stdoutStyle } from './style.js';

const INTRODUCTION = `plumbline demo: an audit from end to end, with nothing to download.

The judge here has random weights: it knows nothing of compliance, and its numbers mean nothing. What you see is the
instrument at work: the rule is deleted, swapped and negated, and what moves is recorded.
`;

export function demoCommand(): Command {
  return new Command('demo')
    .description('Audit the embedded judge on the embedded corpus: a complete run in less than a minute.')
    .option('--out <dir>', 'folder of the run (default: the first free plumbline-demo)')
    .option('--json', 'print the analysis as JSON')
    .addHelpText('after', '\nExample:\n  plumbline demo --out demo-run/\n')
    .action(async ({ out, json }: { readonly out?: string; readonly json?: boolean }) => {
      note(INTRODUCTION);
      const dir = out ?? freeDemoFolder('.');
      const progress = createProgress('rows');
      const interrupt = onInterrupt('Stopping.');
      const result = await audit(demoOptions(), dir, process.argv.slice(2), {
        signal: interrupt.signal,
        onStage: text => progress.say(text),
        onLoad() {},
        onReady(prepared, judge) {
          for (const line of readyText(prepared, judge)) progress.say(line);
        },
        onRow: (done, total) => progress.update(done, total),
      }).finally(() => {
        progress.stop();
        interrupt.release();
      });
      if (result.interrupted) {
        note(`Interrupted. Go on with: npx plumbline audit --resume ${dir}`);
        process.exitCode = EXIT.interrupted;
        return;
      }
      const analyzed = await analyzeRun(dir, { reader: 'text', floor: true, partition: null });
      writeAnalysis(dir, analyzed);
      if (json === true) return printJson(analyzed.summary);
      note('');
      printData(analysisText(analyzed.summary, stdoutStyle()));
      note(closing(relative('.', dir) || dir));
    });
}

function closing(dir: string): string {
  return `
The run is in ${dir}: every row in readings.arrows, what was planned in manifest.json.

  npx plumbline inspect ${dir}                 facts of the run
  npx plumbline inspect ${dir} --sample building_access/demo#0
  npx plumbline audit --model YOUR.gguf --corpus demo --out run/
  npx plumbline audit --model YOUR.gguf --corpus jsonl:YOUR.jsonl --out run/`;
}
