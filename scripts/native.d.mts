/** Path of the native addon under the package root `root`, whether or not it is built. */
export function nativePath(root: string): string;

/**
 * Builds the native addon when it is missing or out of date and gives its path. Says what it does on stderr, nothing
 * when there is nothing to do. Rejects with an error whose message is one line for the user (a missing compiler,
 * cmake, git or make with the package to install; a failed build, whose full output is in `output`).
 */
export function ensureNative(root: string): Promise<string>;

/** What {@link ensureNative} rejects with when the user can mend it. */
export interface SetupError extends Error {
  readonly name: 'SetupError';
  /** What the failed program printed; empty when no program ran. */
  readonly output: string;
}
