import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { withoutVainHelp } from '../../src/cli/unknown-command.js';
import { runProgram } from './command.js';

const root = new Command('plumbline');
for (const make of COMMANDS) root.addCommand(make());

test.each([
  ['nosuch --help', 'nosuch'],
  ['nosuch -h --json', 'nosuch --json'],
  ['help nosuch', 'nosuch'],
  ['gate nosuch --help', 'gate nosuch'],
  ['help gate nosuch', 'gate nosuch'],
])('%s asks for help with what does not exist', (line, left) => {
  expect(withoutVainHelp(root, line.split(' ')).join(' ')).toBe(left);
});

test.each([
  '--help',
  'help',
  'help audit',
  'audit --help',
  'gate --help',
  'gate help',
  'gate audit --help',
  'inspect nosuch --help',
  'nosuch',
])('%s stays', line => {
  expect(withoutVainHelp(root, line.split(' ')).join(' ')).toBe(line);
});

test.each([[['audti', '--help']], [['gate', 'audti', '--help']]])(
  '%s ends with 2 and a suggestion',
  words => {
    const { code, stdout, stderr } = runProgram(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("unknown command 'audti'");
    expect(stderr).toContain('Did you mean audit?');
  },
);
