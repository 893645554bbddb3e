/**
 * The closed list of error codes. A code names the kind of fault, the message names the thing, the place,
 * what was expected and what to do.
 */
export const ERROR_CODES = [
  'USAGE', // the command line or an API argument is wrong
  'CORPUS_NOT_FOUND', // a corpus path does not exist or cannot be read
  'CORPUS_FORMAT', // a corpus file or line cannot be understood
  'CORPUS_EMPTY', // nothing is left to audit
  'UNKNOWN_DOMAIN', // a domain name that the corpus does not have
  'UNKNOWN_SAMPLE', // a sample id that the corpus does not have
  'PROFILE_INVALID', // a user's profile file is wrong
  'PARTITION_INVALID', // a LOW/HIGH partition file is wrong
  'FEATURES_INVALID', // a file of text features is wrong
  'MODEL_NOT_FOUND', // the model file does not exist or cannot be read
  'GGUF_INVALID', // not a GGUF file, or a damaged one
  'MODEL_UNSUPPORTED', // a valid file that this engine cannot audit
  'MODEL_LOAD', // llama.cpp refused the file
  'NO_CHAT_TEMPLATE', // the profile needs the model's chat template and there is none
  'LIBRARY_NOT_FOUND', // llama.cpp's shared libraries or the addon are missing
  'ABI_MISMATCH', // the libraries are not the release that the addon was compiled against
  'CONTEXT', // a context could not be created
  'PROMPT_TOO_LONG', // a prompt does not fit into the context
  'DECODE', // llama.cpp failed to decode
  'TAP', // a layer's output did not appear as asked, nothing was read or written
  'DISPOSED', // use after dispose
  'BUSY', // a second decode on a context that is decoding
  'NATIVE_ARGUMENT', // an argument that would have been memory-unsafe
  'ENGINE_CRASH', // the engine process died; its last words are in the message
  'BENCH_MISMATCH', // a schedule that claims the bits of one prompt per decode gave others
  'DIRECTION_FIT', // rows that no direction can be fitted from
  'DIRECTION_INVALID', // a direction file that cannot be read or understood
  'DIRECTION_MISMATCH', // a direction that does not belong to this model
  'RUN_EXISTS', // the output folder already holds a run or other files
  'RUN_NOT_FOUND', // no run directory there
  'RUN_LOCKED', // another process is writing the run
  'RUN_DAMAGED', // the journal and the files of a run disagree
  'RUN_MISMATCH', // resume or merge with something else than what the run was made with
  'RUN_INCOMPLETE', // the run has rows missing
  'INTERRUPTED', // stopped by the user before anything was evaluated; nothing was written
  'NOT_INTERPRETABLE', // a gate corpus fails its manipulation check: scores on it would say nothing
  'VECTORS_INVALID', // vectors that are no vectors of the texts: widths, counts, numbers, a file that cannot be read
  'GATE_INVALID', // a user's gate is wrong, or no gate has that name
  'PROGRAM_FAILED', // an external program failed or answered something else than asked
  'ENDPOINT', // an embeddings server failed, or answered something else than asked
  'IO', // the operating system refused a read or a write
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Every error that plumbline throws on purpose. `code` is from {@link ERROR_CODES}. */
export class PlumblineError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'PlumblineError';
    this.code = code;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
