#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { packageRoot } from '../engine/package-root.js';
import { COMMANDS } from './commands.js';
import { describeError, EXIT, endQuietlyOnClosedPipe, exitCodeOf } from './output.js';
import { withoutVainHelp } from './unknown-command.js';

function program(): Command {
  const { version, description } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    version: string;
    description: string;
  };
  const root = new Command('plumbline')
    .description(description)
    .version(version)
    .showHelpAfterError('(plumbline --help lists the commands, plumbline COMMAND --help the options)')
    .exitOverride();
  for (const make of COMMANDS) root.addCommand(make().exitOverride());
  return root;
}

endQuietlyOnClosedPipe();
try {
  const root = program();
  await root.parseAsync(withoutVainHelp(root, process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its own message; help and version are no failure.
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
