import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '@msgpack/msgpack';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../../errors.js';
import { faultsOf } from '../../zod-faults.js';

/** An array of numbers with its dimensions, row-major. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** One layer of a thinc model. */
export interface Layer {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

/** Bytes of a file of the parser's directory. Errors: MODEL_NOT_FOUND. */
export function readPart(directory: string, ...name: readonly string[]): Uint8Array {
  const path = join(directory, ...name);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new PlumblineError(
      'MODEL_NOT_FOUND',
      `cannot read ${path}: ${messageOf(error)}; expected the directory of a spaCy pipeline such as en_core_web_sm-3.8.0`,
      { cause: error },
    );
  }
}

/** A file as MessagePack whose shape is checked; keys become texts. Errors: MODEL_NOT_FOUND, MODEL_UNSUPPORTED. */
export function readMessage<T>(directory: string, name: readonly string[], schema: z.ZodType<T>): T {
  const bytes = readPart(directory, ...name);
  return parsePart(directory, name, () => schema.parse(unpack(bytes)));
}

/** A file as JSON whose shape is checked. Errors: MODEL_NOT_FOUND, MODEL_UNSUPPORTED. */
export function readJson<T>(directory: string, name: readonly string[], schema: z.ZodType<T>): T {
  const text = new TextDecoder().decode(readPart(directory, ...name));
  return parsePart(directory, name, () => schema.parse(JSON.parse(text)));
}

/** Runs a reading step; whatever it throws becomes MODEL_UNSUPPORTED with the file. */
export function parsePart<T>(directory: string, name: readonly string[], parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PlumblineError) throw error;
    const why = error instanceof z.ZodError ? faultsOf(error) : messageOf(error);
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `${join(directory, ...name)}: not what a spaCy 3.8 en_core_web_sm holds there: ${why}`,
      { cause: error },
    );
  }
}

const bytes = z.instanceof(Uint8Array);

/** How thinc packs an array: its type as NumPy names it, its shape and its bytes. */
const arraySchema = z
  .object({ nd: z.literal(true), type: z.literal('<f4'), shape: z.array(z.int().min(0)), data: bytes })
  .transform(({ shape, data }, context): Tensor => {
    const size = shape.reduce((product, length) => product * length, 1);
    if (data.length !== 4 * size) {
      context.addIssue(`an array of ${data.length} bytes for the shape ${shape.join(' x ')}`);
      return z.NEVER;
    }
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    return { shape, values: Float64Array.from({ length: size }, (_, i) => view.getFloat32(4 * i, true)) };
  });

const modelSchema = z.object({
  nodes: z.array(z.object({ name: z.string() })),
  attrs: z.array(
    z.record(
      z.string(),
      bytes.transform(packed => unpack(packed)),
    ),
  ),
  params: z.array(z.record(z.string(), arraySchema.nullable())),
});

/** The layers of a thinc model file, outermost first. Errors: MODEL_NOT_FOUND, MODEL_UNSUPPORTED. */
export function readLayers(directory: string, ...name: readonly string[]): readonly Layer[] {
  const { nodes, attrs, params } = readMessage(directory, name, modelSchema);
  return nodes.map((node, i) => ({
    name: node.name,
    attributes: attrs[i] ?? {},
    tensors: Object.fromEntries(
      Object.entries(params[i] ?? {}).flatMap(([key, tensor]) => (tensor === null ? [] : [[key, tensor]])),
    ),
  }));
}

function unpack(packed: Uint8Array): unknown {
  return decode(packed, {
    useBigInt64: true,
    mapKeyConverter: key => (key instanceof Uint8Array ? new TextDecoder().decode(key) : String(key)),
  });
}

/** The tensor of a layer, of exactly these dimensions. Errors: a plain Error in words. */
export function tensor(layer: Layer | undefined, name: string, ...shape: readonly number[]): Float64Array {
  const found = layer?.tensors[name];
  if (found === undefined) throw new Error(`no ${name} in a layer ${layer?.name ?? 'that is missing'}`);
  if (found.shape.join() !== shape.join())
    throw new Error(`${layer?.name} ${name} is ${found.shape.join(' x ')}, expected ${shape.join(' x ')}`);
  return found.values;
}
