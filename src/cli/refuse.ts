import type { Command } from 'commander';
import { PlumblineError } from '../errors.js';

/** Refuses options of these names (as attributes) that stand on the command line. `why` begins the message. Errors: USAGE. */
export function refuse(command: Command, names: readonly string[], why: string): void {
  const given = command.options
    .filter(option => names.includes(option.attributeName()))
    .filter(option => command.getOptionValueSource(option.attributeName()) === 'cli');
  if (given.length > 0) {
    throw new PlumblineError('USAGE', `${why}; leave out ${given.map(({ long }) => long).join(', ')}.`);
  }
}

/** As {@link refuse}, of every option but the allowed ones. */
export function refuseAllBut(command: Command, allowed: readonly string[], why: string): void {
  const names = command.options.map(option => option.attributeName()).filter(name => !allowed.includes(name));
  refuse(command, names, why);
}
