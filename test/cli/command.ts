import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { describeError, EXIT, exitCodeOf } from '../../src/cli/output.js';

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a command in this process, with what the program does about errors around it. */
export async function runCommand(command: Command, ...args: readonly string[]): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map(stream =>
    vi.spyOn(process[stream], 'write').mockImplementation(chunk => {
      written[stream] += String(chunk);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command.exitOverride().parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    else {
      written.stderr += `${describeError(error)}\n`;
      process.exitCode = exitCodeOf(error);
    }
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = before;
  return { ...written, code };
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Runs the built program as a child process, its output a pipe. */
export function runProgram(...args: readonly string[]): Outcome {
  const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { stdout, stderr, code: status ?? -1 };
}

/** The characters of a text that could do something to a terminal, as code points; line breaks are no such. */
export function controls(text: string): readonly string[] {
  return (text.replaceAll('\n', '').match(/[\p{Cc}\p{Cf}]/gu) ?? []).map(
    character => `U+${(character.codePointAt(0) ?? 0).toString(16)}`,
  );
}
