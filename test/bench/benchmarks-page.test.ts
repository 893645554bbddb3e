import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The benchmark's own program is plain JavaScript; these are its types. */
const file = (name: string) => new URL(`../../${name}`, import.meta.url);
const { replaceSection } = (await import(file('bench/docs.mjs').href)) as {
  replaceSection(page: string, name: string, text: string): string;
};

const PAGE = 'by hand\n<!-- bench a -->\nold\n<!-- end a -->\nwhy\n<!-- bench b -->\nkept\n<!-- end b -->\n';

describe('docs/benchmarks.md', () => {
  it('gets one section replaced and keeps what is written by hand', () => {
    const once = replaceSection(PAGE, 'a', 'new');
    expect(once).toBe(
      'by hand\n<!-- bench a -->\n\nnew\n\n<!-- end a -->\nwhy\n<!-- bench b -->\nkept\n<!-- end b -->\n',
    );
    expect(replaceSection(once, 'a', 'new')).toBe(once);
  });

  it('refuses a section that is not there', () => {
    expect(() => replaceSection(PAGE, 'c', 'new')).toThrow('no section c');
    expect(() => replaceSection('<!-- end a --> <!-- bench a -->', 'a', 'new')).toThrow('no section a');
  });

  it('has the sections that its commands write, each with figures', () => {
    const page = readFileSync(fileURLToPath(file('docs/benchmarks.md')), 'utf8');
    const written = [...page.matchAll(/--write-docs (\S+)/g)].map(([, name = '']) => name);
    expect(written.length).toBeGreaterThan(0);
    for (const name of written) {
      const [, section = ''] = page.split(new RegExp(`<!-- bench ${name} -->|<!-- end ${name} -->`));
      expect(section, name).toContain('| target | wanted | found | verdict |');
      expect(section, name).toContain('| exact, capture |');
    }
  });
});
