import fs from 'node:fs';
import { resumeRun, startRun } from './run-workload.js';

/** A process to be killed: starts or resumes the run in the given folder. Says when it is about to touch it. */
const [, , dir = '', samples = ''] = process.argv;
fs.writeSync(1, 'writing\n');
if (fs.existsSync(`${dir}/manifest.json`)) resumeRun(dir, Number(samples));
else startRun(dir, Number(samples));
