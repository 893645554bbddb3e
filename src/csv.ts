/** One field of a CSV file, RFC 4180; a missing value is an empty field. */
export function csvField(value: unknown): string {
  const field = value === null ? '' : String(value);
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
