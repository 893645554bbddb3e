import type { z } from 'zod';

/**
 * What is wrong with a value that a schema refused, for a message: `parts[2].text: expected string, received number`,
 * one fault after the other. `whole` stands for the place of a fault of the value itself.
 */
export function faultsOf(error: z.ZodError, whole = 'at the top'): string {
  return error.issues.map(({ path, message }) => `${placeOf(path) || whole}: ${plain(message)}`).join('; ');
}

/** `parts[2].text`, as in JavaScript; empty for the value itself. */
function placeOf(path: readonly PropertyKey[]): string {
  const name = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return name.replace(/^\./, '');
}

/** Zod's own words without its headings. */
function plain(message: string): string {
  return message
    .replace(/^(Invalid [a-z ]+|Too small|Too big): /, '')
    .replace(/^Invalid input$/, 'of none of the shapes that are expected')
    .replace(/^Unrecognized key(s?): /, 'unknown key$1 ')
    .replace(/, received undefined$/, ', and it is missing');
}
