import { spawn } from 'node:child_process';
import { z } from 'zod';
import { PlumblineError } from '../errors.js';
import { jsonLines } from './json-lines.js';
import type { Fired } from './repair.js';
import type { GatePair } from './types.js';

/** What a second gate answers for each pair. A higher score = more likely the same decision; it may be left out. */
const answer = z.object({ id: z.string(), approve: z.boolean(), score: z.number().optional() });

/** How long a program may take for all pairs. */
const PATIENCE_MS = 600_000;

/**
 * Runs an external program as a gate: it reads one JSON object a line, `{"id", "text_a", "text_b"}`, to the end of its
 * input, and answers `{"id", "approve", "score"}` a line, in any order. The command is run without a shell.
 * Errors: PROGRAM_FAILED when it cannot be started, fails, takes too long, or leaves out or adds an answer.
 */
export async function runSecondGate(
  command: readonly string[],
  pairs: readonly GatePair[],
): Promise<readonly Fired[]> {
  const name = command.join(' ');
  const output = await runProgram(command, pairs);
  const answers = new Map<string, z.infer<typeof answer>>();
  for (const { line, value } of jsonLines(output, `the answer of ${name}`, 'PROGRAM_FAILED', answer)) {
    if (answers.has(value.id))
      throw new PlumblineError('PROGRAM_FAILED', `${name}: line ${line} answers ${value.id} a second time`);
    answers.set(value.id, value);
  }
  const fired = pairs.map(pair => {
    const given = answers.get(pair.id);
    if (given === undefined)
      throw new PlumblineError(
        'PROGRAM_FAILED',
        `${name}: no answer for ${pair.id}; one line for each pair expected`,
      );
    return { pair, fires: !given.approve, suspicion: given.score === undefined ? null : -given.score };
  });
  if (answers.size > pairs.length) {
    throw new PlumblineError(
      'PROGRAM_FAILED',
      `${name}: ${answers.size} answers for ${pairs.length} pairs: answer the ids that were asked`,
    );
  }
  return fired;
}

function runProgram([program, ...args]: readonly string[], pairs: readonly GatePair[]): Promise<string> {
  return new Promise((resolve, reject) => {
    if (program === undefined) {
      reject(new PlumblineError('USAGE', 'no program was named for the second gate'));
      return;
    }
    const failed = (why: string): void => reject(new PlumblineError('PROGRAM_FAILED', `${program}: ${why}`));
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: PATIENCE_MS });
    const output: Buffer[] = [];
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-1000);
    });
    child.on('error', error => failed(`cannot be run: ${error.message}`));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else
        failed(
          `ended with ${signal ?? `exit code ${code}`}${complaint === '' ? '' : `: ${complaint.trim()}`}`,
        );
    });
    // A program that does not read its input is no failure by itself: its answer or its exit code decides.
    child.stdin.on('error', () => {});
    child.stdin.end(
      pairs
        .map(({ id, textA, textB }) => `${JSON.stringify({ id, text_a: textA, text_b: textB })}\n`)
        .join(''),
    );
  });
}
