import type { AcrossNote, AcrossRun, PairOverlap, RunOfMany } from './across-types.js';

/** Tells subjects apart. */
export function subjectKey({ subjectId, summary }: RunOfMany): string {
  return subjectId ?? summary.about.subject;
}

/** What must be known before rows are compared, the gravest first. `rows` are those of `runs`, in their order. */
export function notesOf(
  runs: readonly RunOfMany[],
  rows: readonly AcrossRun[],
  overlaps: readonly PairOverlap[],
): readonly AcrossNote[] {
  const all = rows.map(({ run }) => run);
  const those = (holds: (row: AcrossRun) => boolean): readonly string[] =>
    rows.filter(holds).map(({ run }) => run);
  const differing = (of: (row: AcrossRun, run: RunOfMany) => string | null): readonly string[] => {
    const values = new Set(
      rows.flatMap((row, i) => {
        const run = runs[i];
        return run === undefined ? [] : (of(row, run) ?? []);
      }),
    );
    return values.size > 1 ? all : [];
  };
  const conflicts = overlaps.filter(({ conflicting }) => conflicting > 0).flatMap(({ a, b }) => [a, b]);
  const notes: readonly AcrossNote[] = [
    ...repeated(runs),
    { kind: 'other-corpora', runs: differing((_, { corpusId }) => corpusId) },
    {
      kind: 'other-samples',
      runs: overlaps.some(pair => pair.samplesBoth < Math.max(pair.samplesA, pair.samplesB)) ? all : [],
    },
    { kind: 'conflicting-samples', runs: all.filter(name => conflicts.includes(name)) },
    { kind: 'other-seeds', runs: differing(({ seed }) => String(seed)) },
    { kind: 'other-profiles', runs: differing(({ profiles }) => JSON.stringify(profiles)) },
    { kind: 'other-conditions', runs: differing(({ conditions }) => JSON.stringify(conditions)) },
    { kind: 'no-verdicts', runs: those(({ verdicts }) => !verdicts) },
    { kind: 'rule-blind', runs: those(({ ruleBlind }) => ruleBlind) },
    { kind: 'incomplete', runs: those(row => (row.missingRows ?? 0) + row.errorRows > 0) },
    { kind: 'inexact', runs: those(({ exactness }) => exactness === 'inexact') },
  ];
  return notes.filter(note => note.runs.length > 0);
}

/** A note for each subject that several runs are of: the same plan again, or another one. */
function repeated(runs: readonly RunOfMany[]): readonly AcrossNote[] {
  const bySubject = new Map<string, RunOfMany[]>();
  for (const run of runs) {
    const known = bySubject.get(subjectKey(run));
    if (known) known.push(run);
    else bySubject.set(subjectKey(run), [run]);
  }
  return [...bySubject.values()]
    .filter(of => of.length > 1)
    .map(of => {
      const plans = new Set(of.map(({ planHash }) => planHash));
      const samePlan = plans.size === 1 && !plans.has(null);
      return { kind: samePlan ? 'same-plan-and-subject' : 'same-subject', runs: of.map(({ name }) => name) };
    });
}
