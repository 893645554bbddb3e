import type { Counters, EvalOutcome } from '../../engine/types.js';

/** Kinds of work; contestants of one kind do the same job. */
export const WORKLOADS = ['audit', 'whole audit', 'scenario first', 'ICS only', 'alphas'] as const;
export type Workload = (typeof WORKLOADS)[number];

/** What one pass over a job gave. */
export interface Measure {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** null for contestants that do not count. */
  readonly counters: Counters | null;
  /** CPU seconds of this process meanwhile. */
  readonly parentCpuSeconds: number | null;
  /** By evaluation; null for contestants that give only margins. */
  readonly outcomes: ReadonlyMap<number, EvalOutcome> | null;
  /** Label margins and projections in the order of the job's evaluations, as far as the contestant can read them. */
  readonly margins: readonly number[] | null;
  readonly projections: readonly number[] | null;
}

/** One way of doing a workload. */
export interface Contestant {
  readonly id: string;
  readonly workload: Workload;
  readonly name: string;
  readonly format: string;
  /** The row whose CPU seconds stand above the fraction bar; its own id for the first of a workload. */
  readonly against: string;
  /** The row whose outcomes it must equal bit by bit; null = it makes no such claim. */
  readonly equals: string | null;
  /** The row whose margins and projections it is compared with; null = with none. */
  readonly near: string | null;
  /** Nodes of the prefix tree of its job; null = tokens are not counted. */
  readonly nodes: number | null;
  /** null: it cannot go on, and has no row. */
  measure(): Promise<Measure | null>;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface BenchRow {
  readonly id: string;
  readonly workload: Workload;
  readonly name: string;
  readonly format: string;
  readonly against: string;
  readonly rounds: number;
  readonly cpuSeconds: Spread;
  readonly wallSeconds: Spread;
  /** How many times as fast as `against`, per CPU second, round by round. */
  readonly speed: Spread;
  /** Evaluated tokens by nodes of the prefix tree: 1 = nothing twice, nothing padded. */
  readonly tokensPerNode: number | null;
  readonly decodes: number | null;
  readonly copies: number | null;
  /** Share of the wall time that passed outside decodes, and CPU time of this process by that of the engine. */
  readonly outsideDecodes: Spread | null;
  readonly parentCpu: Spread | null;
  /** true: every float was compared with the row `equals` and had the same bits. null: no such claim. */
  readonly bitsEqual: true | null;
  /** Largest differences from the row `near`; null where one of the two gives no such readings. */
  readonly margin: number | null;
  readonly projection: number | null;
}

export interface Startup {
  /** Wall time until an engine process has the model open. */
  readonly load: Spread;
  /** Wall time of whole programs. */
  readonly version: Spread;
  readonly inspect: Spread;
}

export interface EngineMemory {
  readonly mostBytes: number;
  readonly weightBytes: number;
  readonly kvBytes: number;
}

export interface Target {
  readonly what: string;
  /** The figure must be at least, or at most, this. */
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  /** null: not measured. */
  readonly found: number | null;
  readonly met: boolean | null;
}

export interface Bench {
  readonly model: { readonly name: string; readonly format: string; readonly bytes: number };
  readonly host: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    readonly release: string;
  };
  readonly corpus: string;
  readonly samples: number;
  readonly evaluations: number;
  readonly sequenceTokens: number;
  readonly nodes: number;
  readonly alphaPrompts: number;
  /** Block that is read and steered, from 0. */
  readonly layer: number;
  /** What was chosen for each job. */
  readonly recipes: Readonly<Record<'audit' | 'whole' | 'scenarioFirst' | 'last' | 'all', string>>;
  readonly rounds: number;
  readonly workers: number;
  readonly threads: number;
  readonly rows: readonly BenchRow[];
  readonly startup: Startup;
  /** null where the system does not tell. */
  readonly memory: EngineMemory | null;
  readonly targets: readonly Target[];
  /** Contestants that could not take part, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}
