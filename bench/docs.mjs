/** The text between the marks of a section, replaced; everything else on the page is written by hand. */
export function replaceSection(page, name, text) {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no section ${name}: ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
