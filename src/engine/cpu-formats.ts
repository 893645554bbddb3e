/**
 * Tensor formats that llama.cpp v0.5.0 repacks when it loads a model, so that its fast matrix kernels can read them, by
 * CPU family: x64 with AVX2, arm64 with the dot-product instructions. Chosen in ggml-cpu/repack.cpp.
 */
const REPACKED: Readonly<Record<string, readonly string[]>> = {
  x64: ['Q4_0', 'Q4_K', 'IQ4_NL', 'MXFP4'],
  arm64: ['Q4_0', 'Q4_K', 'Q5_K', 'Q6_K', 'Q8_0', 'IQ4_NL', 'MXFP4', 'Q1_0'],
};

/** Kernels for these read them as they are. */
const UNQUANTISED: ReadonlySet<string> = new Set(['F32', 'F16', 'BF16', 'F64']);

/**
 * A sentence for a model whose main tensor format has no repacked kernel on this CPU family (`process.arch`); null when
 * it has one, is not quantised, or the family is unknown.
 */
export function slowFormatNote(format: string | null, arch: string): string | null {
  const repacked = REPACKED[arch];
  if (format === null || repacked === undefined || UNQUANTISED.has(format) || repacked.includes(format))
    return null;
  const measured =
    format === 'Q4_1' ? ' (one x64 core evaluated 250 tokens/s of a 135M model in it, 1,000 in Q4_0)' : '';
  return (
    `${format} has no repacked kernel on ${arch} CPUs, so it may be several times slower there than a format that has one` +
    `${measured}: ${repacked.join(', ')}.`
  );
}
