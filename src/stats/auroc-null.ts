/**
 * Mean AUROC over all ways of dealing the labels of each cell anew among its items, exactly. It is .5 for one cell, and
 * something else where cells differ in both their scores and their share of positives. null when a class is empty.
 */
export function expectedAuroc(
  scores: readonly number[],
  labels: readonly (0 | 1)[],
  cells: readonly string[],
): number | null {
  const counts = new Map<string, { items: number; positives: number }>();
  for (const [i, cell] of cells.entries()) {
    const known = counts.get(cell) ?? { items: 0, positives: 0 };
    counts.set(cell, { items: known.items + 1, positives: known.positives + (labels[i] as number) });
  }
  const positives = labels.reduce<number>((sum, label) => sum + label, 0);
  const negatives = labels.length - positives;
  if (positives === 0 || negatives === 0) return null;
  /** Probability that an item of one cell is positive and another item, of this or another cell, negative. */
  const ordered = (one: string, other: string): number => {
    const a = counts.get(one) as { items: number; positives: number };
    if (one === other)
      return a.items < 2 ? 0 : (a.positives * (a.items - a.positives)) / (a.items * (a.items - 1));
    const b = counts.get(other) as { items: number; positives: number };
    return (a.positives / a.items) * (1 - b.positives / b.items);
  };
  let wins = 0;
  for (const [i, one] of cells.entries()) {
    for (const [j, other] of cells.entries()) {
      if (i === j) continue;
      const [score, rival] = [scores[i] as number, scores[j] as number];
      if (score >= rival) wins += ordered(one, other) * (score > rival ? 1 : 0.5);
    }
  }
  return wins / (positives * negatives);
}
