import { sentence } from '../gate/scan/sarif.js';
import type { ScanResult } from '../gate/scan/types.js';
import { counted } from './facts.js';
import { paint, printable, type Style, wrap } from './table.js';

/** What `gate scan` prints: place, line and what it means of each gate, tests last. */
export function scanText({ files, skipped, findings }: ScanResult, style: Style): string {
  const ordered = [
    ...findings.filter(({ inTests }) => !inTests),
    ...findings.filter(({ inTests }) => inTests),
  ];
  const shown = ordered.map(finding => {
    const { file, line, column, kind, snippet, inTests } = finding;
    const head = paint(`${printable(file)}:${line}:${column}`, 'bold', style);
    return [
      `${head}  ${kind}${inTests ? ', in tests' : ''}`,
      `  │ ${printable(snippet)}`,
      wrap(printable(sentence(finding)), undefined, '    '),
    ].join('\n');
  });
  return [
    ...shown,
    `${counted(findings.length, 'finding')} in ${counted(files, 'file')}`,
    ...skipped.map(({ file, why }) => `passed over: ${printable(file)}: ${printable(why)}`),
  ].join('\n');
}
