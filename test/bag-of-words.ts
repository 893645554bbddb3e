interface LabelledRow {
  readonly label: 'compliant' | 'non-compliant';
}

const FOLDS = 5;

/**
 * Mean accuracy of Bernoulli naive Bayes on the words of `view`, over five folds of whole groups. Both labels must be
 * about equally common.
 */
export function bagOfWordsAccuracy<Row extends LabelledRow>(
  groups: readonly (readonly Row[])[],
  view: (row: Row) => string,
): number {
  let right = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const judge = learnBagOfWords(groups.filter((_, index) => index % FOLDS !== fold).flat(), view);
    const test = groups.filter((_, index) => index % FOLDS === fold).flat();
    right += test.filter(row => judge(row) === row.label).length;
  }
  return right / groups.flat().length;
}

/** A judge that knows the words of `view` and nothing of their order. */
export function learnBagOfWords<Row extends LabelledRow>(
  rows: readonly Row[],
  view: (row: Row) => string,
): (row: Row) => Row['label'] {
  const words = (row: Row) =>
    new Set(
      view(row)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    );
  const counts = { compliant: new Map<string, number>(), 'non-compliant': new Map<string, number>() };
  const totals = { compliant: 0, 'non-compliant': 0 };
  for (const row of rows) {
    const table = counts[row.label];
    totals[row.label]++;
    for (const word of words(row)) table.set(word, (table.get(word) ?? 0) + 1);
  }
  const vocabulary = new Set([...counts.compliant.keys(), ...counts['non-compliant'].keys()]);
  return row => {
    const present = words(row);
    let logOdds = 0;
    for (const word of vocabulary) {
      const yes = ((counts.compliant.get(word) ?? 0) + 1) / (totals.compliant + 2);
      const no = ((counts['non-compliant'].get(word) ?? 0) + 1) / (totals['non-compliant'] + 2);
      logOdds += present.has(word) ? Math.log(yes / no) : Math.log((1 - yes) / (1 - no));
    }
    return logOdds > 0 ? 'compliant' : 'non-compliant';
  };
}
