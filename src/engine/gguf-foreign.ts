import { closeSync, openSync, readSync } from 'node:fs';

// Matched against the first bytes in hexadecimal, then as Latin-1 text; the first that fits names the file.
const BINARY: readonly (readonly [RegExp, string])[] = [
  [
    /^504b0304/,
    'this is a ZIP archive, perhaps a PyTorch checkpoint (convert it with convert_hf_to_gguf.py)',
  ],
  [/^(1f8b|28b52ffd|fd377a58|425a68|377abcaf)/, 'this is a compressed archive (unpack it first)'],
  [/^80(02|03|04|05)/, 'this is a Python pickle (convert it with convert_hf_to_gguf.py)'],
];
const TEXT: readonly (readonly [RegExp, string])[] = [
  [/^version https:\/\/git-lfs/, 'this is a Git LFS pointer, not the file it points to (run `git lfs pull`)'],
  [/^(lmgg|fmgg|tjgg|algg)/, 'this is a GGML file from before GGUF (convert the original model again)'],
  [/^.{8}\{"/s, 'this is a safetensors file (convert it with convert_hf_to_gguf.py)'],
  [/^\s*<(!doctype|html|\?xml)/i, 'this is a web page, not a model (the download went wrong)'],
  [/^\s*[[{]/, 'this looks like a JSON file'],
  [/^[\s\x20-\x7e\x80-\xff]+$/, 'this is a text file'],
];

/** Says in a few words what a file without the GGUF magic is, from its first bytes. */
export function detectForeignFile(path: string): string {
  const head = Buffer.alloc(512);
  const descriptor = openSync(path, 'r');
  let length: number;
  try {
    length = readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const hex = head.toString('hex', 0, length);
  const text = head.toString('latin1', 0, length);
  const known = BINARY.find(([pattern]) => pattern.test(hex)) ?? TEXT.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? `the first bytes are ${hex.slice(0, 8)} (hexadecimal)`;
}
