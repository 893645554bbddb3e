// Fit a compliance direction on scenarios that stand under two rules, and read it back.
import { demoOptions, FIT_DEFAULTS, fit, readDirection } from 'plumbline';

const path = process.argv[2] ?? 'compliance.gguf';
const quiet = { onStage() {}, onLoad() {}, onRow() {} };

const report = await fit({ ...FIT_DEFAULTS, audit: demoOptions(), contrast: 'rule' }, path, quiet);
const { anchor, test, null: chance } = report.fit;
console.log(
  `block ${anchor}: AUROC ${test.auroc.toFixed(3)} on TEST, quantile ${chance.quantile.toFixed(3)} of random directions`,
);

const direction = await readDirection(path);
console.log(`blocks ${[...direction.layers.keys()].join(', ')}, width ${direction.nEmbd}`);
