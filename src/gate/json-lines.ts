import type { z } from 'zod';
import { type ErrorCode, messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';

/**
 * The records of a text with one JSON object a line; blank lines are passed over. Errors: `code` for a line that is not
 * JSON or does not have the shape, with the place.
 */
export function jsonLines<T>(
  text: string,
  file: string,
  code: ErrorCode,
  shape: z.ZodType<T>,
): readonly { readonly line: number; readonly value: T }[] {
  return text.split('\n').flatMap((source, index) => {
    if (source.trim() === '') return [];
    const place = `${file}:${index + 1}`;
    let parsed: unknown;
    try {
      parsed = JSON.parse(source);
    } catch (error) {
      throw new PlumblineError(
        code,
        `${place}: not valid JSON: ${messageOf(error)}; expected one JSON object a line`,
        {
          cause: error,
        },
      );
    }
    const checked = shape.safeParse(parsed);
    if (!checked.success) throw new PlumblineError(code, `${place}: ${faultsOf(checked.error)}`);
    return [{ line: index + 1, value: checked.data }];
  });
}
