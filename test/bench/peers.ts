/** The peers' side of the benchmark is plain JavaScript; these are its types. */
export interface Child {
  readonly ready: Readonly<Record<string, unknown>>;
  request(workload: string): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  readonly workloads: readonly string[];
  readonly loadSeconds: number;
  readonly batch: number | null;
  measure(workload: string): Promise<{
    readonly cpuSeconds: number;
    readonly wallSeconds: number;
    readonly batch: number;
    readonly margins?: readonly number[];
    readonly projections?: readonly number[];
  }>;
  close(): Promise<void>;
}

interface Peer {
  readonly name: string;
  format(job: object): string;
  start(job: object, jobFile: string, log: (line: string) => void): Promise<Child>;
}

interface Options {
  readonly only?: readonly string[] | null;
  readonly log?: (line: string) => void;
  readonly peers?: readonly Peer[];
}

const at = (name: string) => new URL(`../../bench/peers/${name}`, import.meta.url).href;
const child = (await import(at('child.mjs'))) as {
  startChild(command: string, args: readonly string[]): Promise<Child>;
};
const index = (await import(at('index.mjs'))) as {
  openPeers(
    jobFile: string,
    options: Options,
  ): Promise<{ contestants: Contestant[]; skipped: { name: string; reason: string }[] }>;
};

export const { startChild } = child;
export const { openPeers } = index;
