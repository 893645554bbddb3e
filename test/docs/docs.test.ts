import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { type Schema, tableFromIPC } from 'apache-arrow';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { EXIT } from '../../src/cli/output.js';
import { CORPUS_SPECS, loadCorpus } from '../../src/corpus/load.js';
import type { ColumnMap } from '../../src/corpus/tabular.js';
import { ERROR_CODES } from '../../src/errors.js';
import { GATE_PAIRS } from '../../src/gate/pair-rows.js';
import { CONDITIONS } from '../../src/perturb/types.js';
import { loadProfile } from '../../src/prompt/load-profile.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { pairsFile } from '../../src/run/pairs-file.js';
import { DERIVED, READINGS } from '../../src/run/schema.js';
import { activationsFormat, controlsFormat } from '../../src/run/vectors.js';
import { anchors, blocks, links, type Page, page, pages, shellLines, tableUnder } from './markdown.js';

const README = page('README.md');
const ROOT = dirname(README.path);
const ALL = pages();

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** First cells of a table. */
const names = (of: Page, heading: string): readonly string[] =>
  tableUnder(of, heading).map(([first = '']) => first);

describe('links', () => {
  it.each(ALL.map(of => [of.name, of] as const))('of %s lead somewhere', (_name, of) => {
    const broken = links(of)
      .filter(target => !/^[a-z]+:/.test(target))
      .filter(target => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? of.path : join(dirname(of.path), file);
        if (!existsSync(path)) return true;
        const name = relative(ROOT, path).split(sep).join('/');
        return anchor !== undefined && !anchors(page(name)).has(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('reach every page of docs/ from the README', () => {
    const linked = new Set(links(README).map(target => target.split('#')[0]));
    const unlinked = ALL.map(({ name }) => name).filter(name => name !== 'README.md' && !linked.has(name));
    expect(unlinked).toEqual([]);
  });
});

describe('commands that are shown', () => {
  const commands = new Map<string, () => Command>(COMMANDS.map(make => [make().name(), make]));
  const shown = ALL.flatMap(of => shellLines(of).map(line => [of.name, line] as const));

  /** What is wrong with a command line of plumbline; null when the program would take it. */
  function fault(words: readonly string[]): string | null {
    const [name = '', ...rest] = words;
    const top = commands.get(name)?.();
    if (top === undefined) return `no command ${name}`;
    const inner = top.commands.find(command => command.name() === rest[0]);
    const [command, args] = inner === undefined ? [top, rest] : [inner, rest.slice(1)];
    command.exitOverride().configureOutput({ writeErr() {} });
    try {
      const { operands, unknown } = command.parseOptions([...args]);
      if (unknown.length > 0) return `unknown ${unknown.join(' ')}`;
      const required = command.registeredArguments.filter(argument => argument.required).length;
      const { length } = operands;
      const most = command.registeredArguments.some(({ variadic }) => variadic)
        ? Number.POSITIVE_INFINITY
        : command.registeredArguments.length;
      return length < required || length > most ? `${length} arguments` : null;
    } catch (error) {
      return String(error);
    }
  }

  it('are there', () => {
    expect(shown.filter(([, line]) => line.startsWith('npx plumbline ')).length).toBeGreaterThan(10);
  });

  it.each(shown)('%s: %s', (_name, line) => {
    const words = line.split(/\s+/);
    const [program, ...rest] = words[0] === 'npx' ? words.slice(1) : words;
    if (program === 'plumbline') expect(fault(rest)).toBeNull();
    else if (program === 'npm') {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        readonly scripts: Readonly<Record<string, string>>;
      };
      expect(Object.keys(scripts)).toContain(rest[0] === 'run' ? rest[1] : rest[0]);
    } else if (program === 'node') expect(existsSync(join(ROOT, rest[0] ?? ''))).toBe(true);
    else expect(['vitest', 'biome']).toContain(program);
  });

  it('would be found wrong', () => {
    expect(fault(['audit', '--modle', 'a.gguf'])).not.toBeNull();
    expect(fault(['audit', '--schedule', 'fast'])).not.toBeNull();
    expect(fault(['verify'])).not.toBeNull();
    expect(fault(['steer', 'run/'])).not.toBeNull();
  });

  it('have a line each in the README', () => {
    expect(names(README, '## Commands')).toEqual([...commands.keys()]);
  });

  it('take --json, as the README says', () => {
    const leaves = [...commands.values()].flatMap(make => {
      const command = make();
      return command.commands.length > 0 ? command.commands : [command];
    });
    const without = leaves.filter(({ options }) => !options.some(({ long }) => long === '--json'));
    expect(without.map(command => command.name())).toEqual([]);
  });
});

describe('lists', () => {
  it('of exit codes', () => {
    expect(names(README, '## Exit codes').map(Number)).toEqual(Object.values(EXIT));
  });

  it('of error codes', () => {
    expect(names(page('docs/errors.md'), '# Errors')).toEqual([...ERROR_CODES]);
  });

  it('of conditions', () => {
    expect(names(page('docs/conditions.md'), '# Conditions')).toEqual([...CONDITIONS]);
  });

  it('of profiles', () => {
    expect(names(page('docs/profiles.md'), '# Profiles')).toEqual(Object.keys(PROFILES));
  });

  it('of corpora', () => {
    const specs = CORPUS_SPECS.split(/, | or /);
    expect([...names(page('docs/corpora.md'), '# Corpora')].sort()).toEqual([...specs].sort());
  });
});

describe('columns', () => {
  const RUN = page('docs/run-directory.md');
  const columnsOf = (schema: Schema): readonly (readonly string[])[] =>
    schema.fields.map(({ name, type, nullable }) => [name, String(type), nullable ? 'yes' : 'no']);

  it.each([
    [RUN, '## Columns of readings.arrows', READINGS.schema],
    [RUN, '## Columns of derived.arrows', DERIVED.schema],
    [RUN, '## Columns of derived.arrow', tableFromIPC(pairsFile([])).schema],
    [page('docs/gates.md'), '### Columns of pairs.arrows', GATE_PAIRS.schema],
  ] as const)('of %#', (of, heading, schema) => {
    const told = tableUnder(of, heading).map(row => row.slice(0, 3));
    expect(told).toEqual(columnsOf(schema));
  });

  it('of vectors', () => {
    const told = tableUnder(RUN, '## Columns of activations.arrows and controls.arrows').map(row =>
      row.slice(0, 3),
    );
    const plan = { layers: [3], width: 7 };
    for (const { schema } of [activationsFormat(plan), controlsFormat({ ...plan, seed: 1 })]) {
      const columns = columnsOf(schema).map(row => row.map(cell => cell.replace('[7]', '[n]')));
      expect(told).toEqual(columns);
    }
  });
});

describe('examples', () => {
  it('of a profile loads, with every field', async () => {
    const [source = ''] = blocks(page('docs/profiles.md'), 'json');
    const file = join(folder, 'profile.json');
    writeFileSync(file, source);
    const profile = await loadProfile(file);
    expect(Object.keys(JSON.parse(source) as object).sort()).toEqual(Object.keys(profile).sort());
    const fields = names(page('docs/profiles.md'), '## A profile of your own');
    expect([...fields].sort()).toEqual(Object.keys(profile).sort());
  });

  it('of a table with its column map loads without a report', async () => {
    const [table = ''] = blocks(page('docs/corpora.md'), 'jsonl');
    const [map = ''] = blocks(page('docs/corpora.md'), 'json');
    const file = join(folder, 'cases.jsonl');
    writeFileSync(file, table);
    const corpus = await loadCorpus(`jsonl:${file}`, JSON.parse(map) as ColumnMap);
    expect(corpus.issues).toEqual([]);
    expect(corpus.cases.map(({ label }) => label)).toEqual([0, 1, 0, 1]);
    expect(page('docs/corpora.md').text).toContain(`\`${corpus.cases[0]?.id}\``);
  });

  it('of a case in the README loads under the id that is inspected', async () => {
    const [line = ''] = blocks(README, 'json');
    const file = join(folder, 'cases.jsonl');
    writeFileSync(file, line);
    const corpus = await loadCorpus(`jsonl:${file}`);
    expect(corpus.issues).toEqual([]);
    expect(README.text).toContain(`\`${corpus.cases[0]?.id}\``);
  });
});
