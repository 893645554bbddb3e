import type { EvalOutcome } from '../../engine/types.js';
import { moments } from '../../stats/moments.js';
import { largestDifference, requireEqualBits } from './compare.js';
import type { BenchRow, Contestant, Measure, Spread } from './types.js';

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: moments(values).median ?? Number.NaN,
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

/**
 * Runs every contestant once in each round, one after the other, so that what slows the machine down for a while slows
 * all of them. Claims of equal bits are checked in every round. Throws BENCH_MISMATCH.
 */
export async function runRounds(
  contestants: readonly Contestant[],
  rounds: number,
  onStage: (text: string) => void,
  betweenRounds: () => Promise<void> = async () => {},
): Promise<BenchRow[]> {
  const measured = new Map<string, Measure[]>(contestants.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    // To and fro: none is always first, or always behind the same one.
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { id, workload, name, measure } of order) {
      const list = measured.get(id);
      if (list === undefined) continue;
      onStage(`round ${round + 1} of ${rounds}: ${workload}: ${name}`);
      const found = await measure();
      if (found === null) measured.delete(id);
      else list.push(found);
    }
    for (const { id, equals, workload, name } of contestants) {
      if (equals === null) continue;
      requireEqualBits(
        outcomesOf(measured, id, round),
        outcomesOf(measured, equals, round),
        `${workload}: ${name}`,
      );
    }
    if (round > 0) forgetOutcomes(measured, round - 1);
    await betweenRounds();
  }
  return contestants.filter(({ id }) => measured.has(id)).map(contestant => rowOf(contestant, measured));
}

/** A claim that cannot be checked is a failed one: nothing is there to compare. */
function outcomesOf(
  measured: ReadonlyMap<string, readonly Measure[]>,
  id: string,
  round: number,
): ReadonlyMap<number, EvalOutcome> {
  return measured.get(id)?.[round]?.outcomes ?? new Map();
}

/** Only the last round's readings are compared in the table. */
function forgetOutcomes(measured: Map<string, Measure[]>, round: number): void {
  for (const list of measured.values()) {
    const measure = list[round];
    if (measure !== undefined) list[round] = { ...measure, outcomes: null };
  }
}

function rowOf(contestant: Contestant, measured: ReadonlyMap<string, readonly Measure[]>): BenchRow {
  const { id, workload, name, format, against, equals, near, nodes } = contestant;
  const of = (other: string): readonly Measure[] => measured.get(other) ?? [];
  const own = of(id);
  const cpu = own.map(({ cpuSeconds }) => cpuSeconds);
  const last = own.at(-1) as Measure;
  const other = near === null ? undefined : of(near).at(-1);
  const { counters } = last;
  const shares = (share: (measure: Measure) => number | null): Spread | null => {
    const values = own.map(share).filter(value => value !== null);
    return values.length === 0 ? null : spreadOf(values);
  };
  return {
    id,
    workload,
    name,
    format,
    against,
    rounds: own.length,
    cpuSeconds: spreadOf(cpu),
    wallSeconds: spreadOf(own.map(({ wallSeconds }) => wallSeconds)),
    speed: spreadOf(of(against).map(({ cpuSeconds }, round) => cpuSeconds / (cpu[round] as number))),
    tokensPerNode: counters === null || nodes === null ? null : counters.tokens / nodes,
    decodes: counters?.decodes ?? null,
    copies: counters?.copies ?? null,
    outsideDecodes: shares(m =>
      m.counters === null ? null : 1 - m.counters.decodeMs / 1000 / m.wallSeconds,
    ),
    parentCpu: shares(m => (m.parentCpuSeconds === null ? null : m.parentCpuSeconds / m.cpuSeconds)),
    bitsEqual: equals === null ? null : true,
    margin: other === undefined ? null : largestDifference(last.margins, other.margins),
    projection: other === undefined ? null : largestDifference(last.projections, other.projections),
  };
}
