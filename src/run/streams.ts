import type { Manifest } from './manifest.js';
import { DERIVED, READINGS, type RowFormat, STREAM_FILES } from './schema.js';
import type { DerivedRow, Reading } from './types.js';
import { activationsFormat, controlsFormat, type VectorFormat } from './vectors.js';

/** The streams of a run; null where its manifest plans none. */
export interface RunStreams {
  readonly activations: VectorFormat | null;
  readonly controls: VectorFormat | null;
  readonly readings: RowFormat<Reading>;
  readonly derived: RowFormat<DerivedRow>;
  /** Those that the run has, in the order of {@link STREAM_FILES}. */
  readonly all: readonly RowFormat<unknown>[];
  /** Those of `all` that hold vectors. */
  readonly vectors: readonly VectorFormat[];
}

/** The streams that a manifest plans: everything that writes, reads or checks a run goes by this list. */
export function streamsOf({ vectors }: Pick<Manifest, 'vectors'>): RunStreams {
  const activations = vectors.activations === null ? null : activationsFormat(vectors.activations);
  const controls = vectors.controls === null ? null : controlsFormat(vectors.controls);
  const formats = {
    'activations.arrows': activations,
    'controls.arrows': controls,
    'readings.arrows': READINGS,
    'derived.arrows': DERIVED,
  } satisfies Record<(typeof STREAM_FILES)[number], unknown>;
  return {
    activations,
    controls,
    readings: READINGS,
    derived: DERIVED,
    all: STREAM_FILES.flatMap(file => (formats[file] as RowFormat<unknown> | null) ?? []),
    vectors: [activations, controls].filter(format => format !== null),
  };
}
