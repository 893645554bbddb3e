import type { GgufContainer, GgufEntry } from '../engine/gguf-container.js';
import type { GgufFile, GgufWriteValue } from '../engine/gguf-write.js';
import { PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import { decodeFloats, FLOAT_BYTES, type FloatFormat } from './floats.js';
import { type Provenance, provenanceSchema } from './provenance.js';

const FORMAT_VERSION = 1;
const BLOCK_0 = 'plumbline.direction.0';
const TENSOR = /^direction\.(0|[1-9]\d*)$/;

/** Where the flat metadata keys stand in a provenance. */
const KEYS = {
  'plumbline.version': ['version'],
  'plumbline.model.name': ['model', 'name'],
  'plumbline.model.sha256': ['model', 'sha256'],
  'plumbline.profile.name': ['profile', 'name'],
  'plumbline.profile.sha256': ['profile', 'sha256'],
  'plumbline.corpus.name': ['corpus', 'name'],
  'plumbline.corpus.sha256': ['corpus', 'sha256'],
  'plumbline.ids.sha256': ['idsSha256'],
  'plumbline.contrast': ['contrast'],
} as const;

export interface ControlVector {
  /** Unit or other vectors by block index, all of one width. */
  readonly layers: ReadonlyMap<number, Float32Array>;
  /** `general.architecture` of the model. */
  readonly architecture: string;
  readonly provenance: Provenance | null;
}

/**
 * A control vector as llama.cpp reads it: `direction.N`, one F32 vector per layer, is added to the output of block N
 * (`l_out-N`), and N starts at 1. llama.cpp refuses a file with a `direction.0` or with any other tensor, so the
 * direction of block 0 travels in the metadata, as the float32 array `plumbline.direction.0`, which it passes over.
 */
export function encodeControlVector({ layers, architecture, provenance }: ControlVector): GgufFile {
  const tensors = [...layers]
    .filter(([layer]) => layer > 0)
    .sort(([a], [b]) => a - b)
    .map(([layer, data]) => ({ name: `direction.${layer}`, dims: [data.length], data }));
  const metadata: Record<string, GgufWriteValue> = {
    'general.architecture': { type: 'string', value: 'controlvector' },
    'controlvector.model_hint': { type: 'string', value: architecture },
    'controlvector.layer_count': { type: 'i32', value: tensors.length },
  };
  const block0 = layers.get(0);
  if (block0 !== undefined) metadata[BLOCK_0] = { type: 'array:f32', value: Array.from(block0) };
  if (provenance !== null) {
    metadata['plumbline.format_version'] = { type: 'u32', value: FORMAT_VERSION };
    const { version, model, profile, corpus, idsSha256, contrast, fit } = provenance;
    const texts: Readonly<Record<keyof typeof KEYS, string>> = {
      'plumbline.version': version,
      'plumbline.model.name': model.name,
      'plumbline.model.sha256': model.sha256,
      'plumbline.profile.name': profile.name,
      'plumbline.profile.sha256': profile.sha256,
      'plumbline.corpus.name': corpus.name,
      'plumbline.corpus.sha256': corpus.sha256,
      'plumbline.ids.sha256': idsSha256,
      'plumbline.contrast': contrast,
    };
    for (const [key, value] of Object.entries(texts)) metadata[key] = { type: 'string', value };
    metadata['plumbline.fit'] = { type: 'string', value: JSON.stringify(fit) };
  }
  return { metadata, tensors };
}

/**
 * The directions of a control-vector GGUF, ours or another tool's. `read` gives bytes of the file.
 * @throws PlumblineError DIRECTION_INVALID.
 */
export async function decodeControlVector(
  gguf: GgufContainer,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<{
  readonly layers: ReadonlyMap<number, Float32Array>;
  readonly modelHint: string | null;
  readonly provenance: Provenance | null;
}> {
  const fail = (problem: string): never => {
    throw new PlumblineError('DIRECTION_INVALID', `${gguf.path}: ${problem}`);
  };
  const architecture = textOf(gguf.entries.get('general.architecture'));
  const layers = new Map<number, Float32Array>();
  for (const tensor of gguf.tensors) {
    const layer = TENSOR.exec(tensor.name)?.[1];
    const what = `tensor ${JSON.stringify(tensor.name)}`;
    if (layer === undefined) {
      return fail(
        architecture === null || architecture === 'controlvector'
          ? `${what}: a control vector has tensors named direction.N alone, N the block that it is added to`
          : `a GGUF of architecture ${JSON.stringify(architecture)} with ${what}, expected a control vector; ` +
              'is this the model itself?',
      );
    }
    if (!isFloat(tensor.type)) return fail(`${what} is ${tensor.type}, expected F32`);
    if (tensor.dims.slice(1).some(size => size !== 1)) {
      fail(`${what} has the dimensions ${tensor.dims.join(' x ')}, expected one`);
    }
    const bytes = await read(tensor.offset, tensor.elements * FLOAT_BYTES[tensor.type]);
    layers.set(Number(layer), decodeFloats(bytes, tensor.type));
  }
  const block0 = gguf.entries.get(BLOCK_0);
  if (block0 !== undefined) {
    if (block0.type !== 'array' || block0.elementType !== 'f32' || layers.has(0)) {
      return fail(`${BLOCK_0}: expected an array of f32, and no direction.0 beside it`);
    }
    // The values follow the element type (4 bytes) and the length (8 bytes).
    layers.set(0, decodeFloats(await read(block0.at + 12, block0.length * FLOAT_BYTES.F32), 'F32'));
  }
  if (layers.size === 0) fail('no direction.N tensor in it, expected a control vector');
  return {
    layers,
    modelHint: textOf(gguf.entries.get('controlvector.model_hint')),
    provenance: readProvenance(gguf, fail),
  };
}

function readProvenance(gguf: GgufContainer, fail: (problem: string) => never): Provenance | null {
  const version = gguf.entries.get('plumbline.format_version');
  if (version === undefined) return null;
  if (version.value !== FORMAT_VERSION) {
    fail(
      `plumbline.format_version ${String(version.value)}, expected ${FORMAT_VERSION}; use a newer plumbline`,
    );
  }
  const value: Record<string, unknown> = {};
  for (const [key, [outer, inner]] of Object.entries(KEYS)) {
    const text = textOf(gguf.entries.get(key));
    if (inner === undefined) value[outer] = text;
    else value[outer] = { ...(value[outer] as object | undefined), [inner]: text };
  }
  try {
    value.fit = JSON.parse(textOf(gguf.entries.get('plumbline.fit')) ?? 'null');
  } catch {
    fail('plumbline.fit is not JSON');
  }
  const parsed = provenanceSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  return fail(`its provenance: ${faultsOf(parsed.error)}`);
}

function textOf(entry: GgufEntry | undefined): string | null {
  return entry?.type === 'string' && typeof entry.value === 'string' ? entry.value : null;
}

function isFloat(type: string): type is FloatFormat {
  return Object.hasOwn(FLOAT_BYTES, type);
}
