/** The names, those that differ from `wanted` in the fewest letters first; equally close ones keep their order. */
export function byCloseness(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .map(name => ({ name, distance: levenshtein(wanted, name) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

/** Fewest insertions, deletions and substitutions of UTF-16 units between two strings. */
export function levenshtein(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
