import { checkSanity } from '../api/sanity.js';
import type { Sanity } from '../audit/sanity-types.js';
import { sanityVerdict } from '../report/sanity-text.js';
import { onInterrupt } from './interrupt.js';
import { note } from './output.js';
import { createProgress } from './progress.js';

/** The sanity checks of a run that is whole, told on stderr. */
export async function sanityChecks(dir: string): Promise<Sanity> {
  const progress = createProgress('prompts');
  const interrupt = onInterrupt('Stopping; the run is whole, its sanity checks are not written.');
  try {
    const sanity = await checkSanity(dir, {
      signal: interrupt.signal,
      onStage: text => progress.say(text),
      onLoad() {},
      onRow: (done, total) => progress.update(done, total),
    });
    progress.stop();
    note(sanityVerdict(sanity, { colour: false }));
    return sanity;
  } finally {
    progress.stop();
    interrupt.release();
  }
}
