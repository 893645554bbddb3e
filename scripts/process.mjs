import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A fault that the user can mend. Its message is one line; `output` is what the failed program printed. */
export class SetupError extends Error {
  constructor(message, output = '') {
    super(message);
    this.name = 'SetupError';
    this.output = output;
  }
}

/** Prints on stderr, so that a command's own output stays clean. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Prints a fault for the user and gives the exit code. Anything that is not a SetupError is a bug and keeps its stack. */
export function report(error) {
  if (!(error instanceof SetupError)) {
    throw error;
  }
  if (error.output.trim() !== '') {
    say(error.output.trimEnd());
  }
  say(`plumbline: ${error.message}`);
  return 1;
}

/** Runs a program quietly. What it printed becomes part of the error when it fails. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', chunk => chunks.push(chunk));
    child.stderr.on('data', chunk => chunks.push(chunk));
    child.on('error', error => reject(new SetupError(`${command} could not be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString('utf8');
      if (code === 0) {
        resolve(output);
      } else {
        reject(new SetupError(`${command} ended with ${signal ?? `exit code ${code}`}`, output));
      }
    });
  });
}

/** Runs a step of the set-up: one line when it starts, and when it fails one line that says which step it was. */
export async function step(name, work) {
  say(`set-up: ${name}`);
  try {
    return await work();
  } catch (error) {
    if (error instanceof SetupError && error.output !== '') {
      throw new SetupError(`set-up failed at "${name}"; its output is above.`, error.output);
    }
    throw error;
  }
}

/** Full path of a program on PATH, or null. */
export function which(program) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const suffix of suffixes) {
      const path = join(folder, program + suffix);
      if (folder !== '' && existsSync(path)) {
        return path;
      }
    }
  }
  return null;
}

/** Folder of an installed package as Node finds it from `root`: the nearest node_modules upwards that has it, or null. */
export function packageFolder(root, name) {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) {
      return path;
    }
    if (folder === dirname(folder)) {
      return null;
    }
  }
}
