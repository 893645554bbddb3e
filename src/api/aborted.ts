import { PlumblineError } from '../errors.js';

/** Ending the engine makes whatever is going on fail in some way; what is to be said is that it was stopped. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  const stopped = (cause: unknown) =>
    new PlumblineError('INTERRUPTED', 'Stopped before the first evaluation; nothing was written.', { cause });
  const value = await run().catch(error => {
    throw signal?.aborted ? stopped(error) : error;
  });
  if (signal?.aborted) throw stopped(null);
  return value;
}
