// Audit the embedded judge on a part of the embedded corpus, and print how often deleting the rule moved a verdict.
import { analyzeRun, audit, demoOptions } from 'plumbline';

const dir = process.argv[2] ?? 'example-run';
const quiet = { onStage() {}, onLoad() {}, onReady() {}, onRow() {} };

const result = await audit({ ...demoOptions(), perDomain: 8 }, dir, [], quiet);
const { summary } = await analyzeRun(dir, { reader: 'text', floor: true, partition: null });
const deletion = summary.readers.text.ocs.find(row => row.measure === 'delete')?.pooled.all;

console.log(`${result.rows} rows, ${result.exactness?.kind}`);
console.log(`deleting the rule changed ${deletion?.count} of ${deletion?.n} verdicts`);
