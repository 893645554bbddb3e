import type { ScoredPair } from './measures.js';

/** A guard that stops an answer when its similarity to what was asked for is below a threshold. */
export interface GuardReading {
  /** What the guard's constant was taken to mean. */
  readonly reading: string;
  /** It fires when the cosine is below this. */
  readonly cosineBelow: number;
}

/** The audited guard's one constant, as its code, its messages and its documentation have it. */
export const AUDITED_GUARD: readonly GuardReading[] = [
  { reading: 'fires when similarity < .40', cosineBelow: 0.4 },
  { reading: 'fires when distance > .40', cosineBelow: 0.6 },
  { reading: 'fires when cosine < .80', cosineBelow: 0.8 },
];

export interface GuardRates {
  /** Reversals and paraphrases with a score, and on how many of each the guard fires. */
  readonly reversals: number;
  readonly correctFires: number;
  readonly paraphrases: number;
  readonly harmfulFires: number;
  /** Share of reversals stopped minus share of paraphrases stopped; 0 = no use. null when either is empty. */
  readonly youdenJ: number | null;
}

export interface GuardProbe extends GuardReading, GuardRates {
  readonly subclasses: readonly ({ readonly subclass: string } & GuardRates)[];
}

/** Lets the guard read every pair as an instruction and what was done instead. */
export function probeGuard(
  scored: readonly ScoredPair[],
  readings: readonly GuardReading[],
): readonly GuardProbe[] {
  const subclasses = [...new Set(scored.map(({ pair }) => pair.subclass))].sort();
  return readings.map(reading => ({
    ...reading,
    ...ratesOf(scored, reading),
    subclasses: subclasses.map(subclass => ({
      subclass,
      ...ratesOf(
        scored.filter(({ pair }) => pair.subclass === subclass),
        reading,
      ),
    })),
  }));
}

function ratesOf(scored: readonly ScoredPair[], { cosineBelow }: GuardReading): GuardRates {
  let [reversals, correctFires, paraphrases, harmfulFires] = [0, 0, 0, 0];
  for (const { pair, score } of scored) {
    if (score === null) continue;
    const fires = score < cosineBelow ? 1 : 0;
    if (pair.decision === 'opposite') {
      reversals++;
      correctFires += fires;
    } else {
      paraphrases++;
      harmfulFires += fires;
    }
  }
  const youdenJ =
    reversals === 0 || paraphrases === 0 ? null : correctFires / reversals - harmfulFires / paraphrases;
  return { reversals, correctFires, paraphrases, harmfulFires, youdenJ };
}
