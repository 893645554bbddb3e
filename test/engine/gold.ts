import { readFileSync } from 'node:fs';
import { shared } from '../shared.js';

/** One row of the oracle's readings; the fields are described beside the file. */
export interface GoldReading {
  readonly id: string;
  readonly condition: string;
  readonly n_tokens: number;
  readonly tokens_sha256: string;
  readonly label_tokens: readonly number[];
  readonly logits: readonly number[];
  readonly logZ: number;
  readonly label_mass: number;
  readonly full_logprob: readonly number[];
  readonly greedy_tokens: readonly number[];
  readonly greedy_text: string;
  readonly top5: readonly (readonly [number, string, number])[];
}

export interface GoldRow extends GoldReading {
  /** `<sample id>|<condition>` */
  readonly key: string;
  readonly prompt: string;
}

export const SMOLLM2 = shared('models', 'SmolLM2-135M-Instruct-Q4_1.gguf');
export const LABELS = [' Compliant', ' Non-compliant'] as const;

function lines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/**
 * The oracle's readings of SmolLM2, as it is or as a float32 copy, with the prompts that they belong to, in file order;
 * null when they are not here.
 */
export function goldRows(copy: 'Q4_1' | 'F32' = 'Q4_1'): readonly GoldRow[] | null {
  const readings = shared('gold', 'llm', copy === 'F32' ? 'readings_f32.jsonl' : 'readings.jsonl');
  const prompts = shared('gold', 'llm', 'prompts.jsonl');
  if (readings === null || prompts === null || SMOLLM2 === null) return null;
  const texts = new Map<string, string>();
  for (const { id, prompts: byCondition } of lines(prompts) as {
    id: string;
    prompts: Record<string, string>;
  }[]) {
    for (const [condition, text] of Object.entries(byCondition)) texts.set(`${id}|${condition}`, text);
  }
  return (lines(readings) as GoldReading[]).map(reading => {
    const key = `${reading.id}|${reading.condition}`;
    const prompt = texts.get(key);
    if (prompt === undefined) throw new Error(`the oracle has no prompt for ${key}`);
    return { ...reading, key, prompt };
  });
}

/** A float32 `.npy` file: its shape and values, row-major. */
export function readNpy(path: string): { readonly shape: readonly number[]; readonly data: Float32Array } {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, start);
  if (!header.includes("'<f4'") || !header.includes("'fortran_order': False"))
    throw new Error(`${path}: ${header}`);
  const shape = (/\(([\d, ]+)\)/.exec(header)?.[1] ?? '')
    .split(',')
    .filter(part => part.trim() !== '')
    .map(Number);
  return {
    shape,
    data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length)),
  };
}
