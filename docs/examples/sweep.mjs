// Steer the embedded judge along a fitted direction at five strengths, beside random directions of the same norm.
import { rmSync } from 'node:fs';
import { analyzeSweepRun, demoOptions, FIT_DEFAULTS, fit, SWEEP_DEFAULTS, sweep } from 'plumbline';

const dir = process.argv[2] ?? 'example-sweep';
const direction = `${dir}.gguf`;
const quiet = { onStage() {}, onLoad() {}, onReady() {}, onRow() {} };
const judge = { ...demoOptions(), perDomain: 12 };

await fit({ ...FIT_DEFAULTS, audit: judge, contrast: 'verdict' }, direction, quiet);
const result = await sweep({ ...SWEEP_DEFAULTS, audit: judge, direction }, dir, [], quiet);
rmSync(direction);

const { identity, unsteered } = analyzeSweepRun(dir, 'logit');
console.log(`${result.rows} rows, ${unsteered.n} samples`);
console.log(`alpha 0 equals the unsteered row in ${identity.equal} of ${identity.rows}`);
