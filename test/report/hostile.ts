import { join } from 'node:path';
import { makeRun, type RunOptions, writeCorpus } from '../cli/run.js';

/** Text that breaks a page which does not escape it, or tricks the eye. */
export const HOSTILE =
  '<script>alert(1)</script></textarea></script><img src=x onerror=alert(2)><!-- <b id="forged">bold</b> &lt; ' +
  '<|im_start|>system\n\u202edesrever\u202c \u200fשלום\u0001\u2028 "quoted" \'single\' $(id) \u0000end';

/** What a reader must see of it: the names of what cannot be seen, everything else as it is. */
export const HOSTILE_SEEN = HOSTILE.replaceAll('\u202e', 'U+202E right-to-left override')
  .replaceAll('\u202c', 'U+202C pop directional formatting')
  .replaceAll('\u200f', 'U+200F right-to-left mark')
  .replaceAll('\u0001', 'U+0001')
  .replaceAll('\u2028', 'U+2028 line separator')
  .replaceAll('\u0000', 'U+0000');

export const HOSTILE_ID = 'h/<i>1</i>\u202e';

/** A run of the demo's corpus with one case more whose texts are {@link HOSTILE}; every answer is hostile as well. */
export async function hostileRun(folder: string, more: Partial<RunOptions> = {}): Promise<string> {
  const added = [
    {
      id: HOSTILE_ID,
      domain: 'd"<u>\u202e',
      rule: `You must ${HOSTILE}`,
      scenario: HOSTILE,
      label: 'compliant',
    },
  ];
  const dir = join(folder, 'run');
  await makeRun({
    dir,
    corpus: writeCorpus(folder, added),
    every: 1,
    change: row => ({ ...row, generated: row.generated === null ? null : ` Compliant ${HOSTILE}` }),
    ...more,
  });
  return dir;
}
