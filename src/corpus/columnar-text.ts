/** A byte order mark inside a table is part of the text, and what is not UTF-8 is refused, not repaired. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws Error that names the place. */
export function utf8Of(bytes: Uint8Array, place: string): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new Error(`${place}: not valid UTF-8`, { cause: error });
  }
}
