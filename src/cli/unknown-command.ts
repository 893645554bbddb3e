import type { Command } from 'commander';

const HELP: ReadonlySet<string> = new Set(['--help', '-h']);

/**
 * The words of a command line, without the wish for help when they name a command that does not exist: help for
 * something else would look like an answer. What is left fails as any unknown command does, with a suggestion.
 */
export function withoutVainHelp(root: Command, words: readonly string[]): readonly string[] {
  const names = words[0] === 'help' ? words.slice(1) : words;
  let command = root;
  for (const word of names) {
    if (word.startsWith('-') || command.commands.length === 0) return words;
    const next = command.commands.find(one => one.name() === word || one.aliases().includes(word));
    if (next === undefined) return word === 'help' ? words : names.filter(name => !HELP.has(name));
    command = next;
  }
  return words;
}
