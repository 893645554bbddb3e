/**
 * Every peer on a job file, once: node bench/peers/try.mjs JOB.json [--only hf-f32,node-llama-cpp]
 *
 * Prints, for each workload, CPU seconds as a ratio to the first peer that does it and the largest distance of its
 * readings from that peer's.
 */
import { parseArgs } from 'node:util';
import { openPeers, PEERS } from './index.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [jobFile] = positionals;
const only = values.only?.split(',') ?? null;
const unknown = (only ?? []).filter(name => !PEERS.some(peer => peer.name === name));
if (jobFile === undefined || unknown.length > 0) {
  process.stderr.write(
    `usage: node bench/peers/try.mjs JOB.json [--only NAMES]; peers: ${PEERS.map(peer => peer.name).join(', ')}\n`,
  );
  process.exit(2);
}

const say = line => process.stderr.write(`${line}\n`);
const { contestants, skipped } = await openPeers(jobFile, { only, log: say });
for (const { name, reason } of skipped) console.log(`${name}: skipped, ${reason}`);

const first = new Map();
for (const contestant of contestants) {
  const { name, format, version, workloads } = contestant;
  console.log(`${name} ${version} (${format}), loaded in ${contestant.loadSeconds.toFixed(1)} s`);
  try {
    for (const workload of workloads) {
      const found = await contestant.measure(workload);
      const other = first.get(workload) ?? found;
      first.set(workload, other);
      console.log(
        `  ${workload}: ${found.cpuSeconds.toFixed(2)} CPU s, ratio ${(found.cpuSeconds / other.cpuSeconds).toFixed(2)}, batch ${found.batch}` +
          distance('margins', found, other) +
          distance('projections', found, other),
      );
    }
  } catch (error) {
    console.log(`  ${error.message}`);
  }
  await contestant.close();
}

function distance(what, found, other) {
  if (found[what] === undefined || other[what] === undefined) return '';
  const most = found[what].reduce((m, value, i) => Math.max(m, Math.abs(value - other[what][i])), 0);
  return `, ${what} within ${most.toFixed(4)}`;
}
