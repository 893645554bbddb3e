import { PlumblineError } from '../errors.js';
import { printable } from '../report/table.js';

/** Data goes to stdout, everything else to stderr; so a pipe gets data only. */
export function printData(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Bytes to stdout; waits while its reader is slower. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, error => (error ? reject(error) : resolve()));
  });
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, null, 2));
}

/** A line for the person at the terminal. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  damaged: 4,
  notInterpretable: 5,
  interrupted: 130,
} as const;

/** The exit code of an error, as listed in the README. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof PlumblineError)) return EXIT.failed;
  switch (error.code) {
    case 'USAGE':
      return EXIT.usage;
    case 'RUN_INCOMPLETE':
      return EXIT.incomplete;
    case 'RUN_DAMAGED':
      return EXIT.damaged;
    case 'INTERRUPTED':
      return EXIT.interrupted;
    case 'NOT_INTERPRETABLE':
      return EXIT.notInterpretable;
    default:
      return EXIT.failed;
  }
}

/**
 * What a person sees of an error: the code and the message of ours; of a fault of our own, the stack as well. Messages
 * quote names from files, so each line is made safe to print.
 */
export function describeError(error: unknown): string {
  if (error instanceof PlumblineError) {
    return `plumbline: ${error.code}: ${error.message.split('\n').map(printable).join('\n')}`;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `plumbline: internal error, please report it with the command that you ran:\n${detail}`;
}

/** A reader that stops early (`| head`) ends the program quietly. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
}
