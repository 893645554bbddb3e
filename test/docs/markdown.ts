import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Page {
  /** Relative to the repository, with forward slashes. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export function page(name: string): Page {
  const path = join(ROOT, name);
  return { name, path, text: readFileSync(path, 'utf8') };
}

/** Every page that a reader of the repository or of the package meets. */
export function pages(): readonly Page[] {
  const docs = readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${basename(name)}`);
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs].map(page);
}

/** Fenced blocks of one language, without their fences. */
export function blocks({ text }: Page, language: string): readonly string[] {
  const fences = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return fences.filter(([, name]) => name === language).map(([, , body = '']) => body);
}

/** Commands of the `sh` blocks: continued lines joined, comments and blank lines left out. */
export function shellLines(of: Page): readonly string[] {
  return blocks(of, 'sh').flatMap(block =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .map(line => line.replace(/\s#.*$/, '').trim())
      .filter(line => line !== '' && !line.startsWith('#')),
  );
}

/** Targets of all links outside fenced blocks. */
export function links({ text }: Page): readonly string[] {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The names that headings can be linked by, as GitHub makes them. */
export function anchors({ text }: Page): ReadonlySet<string> {
  const headings = [...text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

/** Cells of the first table under a heading, without header and rule; code spans stand without their backticks. */
export function tableUnder({ name, text }: Page, heading: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`${name} has no heading "${heading}"`);
  const table = /(?:^\|.*\n)+/m.exec(lines.slice(start).join('\n'))?.[0] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map(row =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map(cell =>
          cell
            .trim()
            .replaceAll('\\|', '|')
            .replace(/^`([^`]*)`$/, '$1'),
        ),
    );
}
