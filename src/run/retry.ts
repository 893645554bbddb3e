/** Errors that trying again cannot mend: everything that a resumed run may change leaves them as they are. */
const FINAL: ReadonlySet<string> = new Set(['PROMPT_TOO_LONG']);

/** Whether a row with this error code is evaluated again when its run is resumed; a row without one never is. */
export function isRetried(errorCode: string | null): boolean {
  return errorCode !== null && !FINAL.has(errorCode);
}
