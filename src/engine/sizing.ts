import { PlumblineError } from '../errors.js';
import { LARGEST_TILE, tileUp } from './chunk.js';
import type { Schedule } from './executor.js';
import type { GgufHeader } from './gguf-header.js';
import type { TokenEval } from './types.js';

/** Streams and cells of one engine process. */
export interface Sizing {
  readonly lanes: number;
  readonly parks: number;
  readonly cells: number;
  readonly ubatch: number;
  readonly longestLabel: number;
  /** Key-value memory of one process, in bytes. */
  readonly kvBytes: number;
}

const LANES = 8;
/** Most sequences that llama.cpp allows is 256. */
const PARKS = 240;
/** More parked prefixes than fit in here bring little: most are used again soon or never. */
const PARK_BYTES = 768 * 2 ** 20;
const UBATCH = 512;
/** llama.cpp rounds a stream up to this many cells. */
const CELL_STEP = 256;
const BYTES_PER_VALUE = 2; // KV is kept in F16

/** Cells that an evaluation can come to need: the prompt, what is generated, the longest label, one step more. */
export function cellsNeeded(item: TokenEval): number {
  const label = item.labels.reduce((longest, ids) => Math.max(longest, ids.length), 1);
  return item.prompt.length + (item.generate?.maxTokens ?? 0) + label + 1;
}

/** Bytes of keys and values that one cell takes over all layers. */
export function kvBytesPerCell(header: GgufHeader): number {
  const number = (name: string): number | null => {
    const value = header.metadata.get(`${header.architecture}.${name}`);
    return typeof value === 'number' ? value : null;
  };
  const heads = number('attention.head_count') ?? 1;
  const kvHeads = number('attention.head_count_kv') ?? heads;
  const key = number('attention.key_length') ?? header.nEmbd / heads;
  const value = number('attention.value_length') ?? header.nEmbd / heads;
  return header.nLayer * kvHeads * (key + value) * BYTES_PER_VALUE;
}

/**
 * Streams and cells for a job within `budget` bytes of key-value memory per process: parked prefixes are given up
 * before lanes. Throws CONTEXT when not even one stream fits.
 */
export function chooseSizing(
  header: GgufHeader,
  evals: readonly TokenEval[],
  schedule: Schedule,
  sharedPrefixes: number,
  budget: number,
): Sizing {
  const need = evals.reduce((most, item) => Math.max(most, cellsNeeded(item)), CELL_STEP);
  // Padding comes on top, whatever tile the proof ends with.
  const cells = tileUp(need + LARGEST_TILE, CELL_STEP);
  const perStream = cells * kvBytesPerCell(header);
  const longestLabel = evals.reduce((most, item) => Math.max(most, ...item.labels.map(ids => ids.length)), 1);
  let lanes = schedule === 'single' ? 1 : Math.max(1, Math.min(LANES, evals.length));
  let parks = schedule === 'single' ? 0 : Math.min(PARKS, sharedPrefixes, Math.floor(PARK_BYTES / perStream));
  while ((lanes + parks) * perStream > budget && lanes + parks > 1) {
    if (parks > 0) parks = Math.floor(parks / 2);
    else lanes = Math.floor(lanes / 2);
  }
  if ((lanes + parks) * perStream > budget) {
    throw new PlumblineError(
      'CONTEXT',
      `One stream of ${cells} tokens needs ${megabytes(perStream)} of key-value memory; ${megabytes(budget)} are free for it. ` +
        'Leave the longest prompts out, use fewer --workers, or a machine with more memory.',
    );
  }
  return { lanes, parks, cells, ubatch: UBATCH, longestLabel, kvBytes: (lanes + parks) * perStream };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MB`;
}
