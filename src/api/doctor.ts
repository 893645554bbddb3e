import { ensureAddon } from '../engine/addon.js';
import { slowFormatNote } from '../engine/cpu-formats.js';
import { chooseBackend, type GpuOption, hostFacts } from '../engine/hardware.js';
import { BACKENDS, findLibrary } from '../engine/library.js';
import { loadBinding } from '../engine/native.js';
import { messageOf } from '../errors.js';
import { PROFILES } from '../prompt/profiles.js';
import { exactnessText } from '../report/audit-text.js';
import { demoModel } from './demo.js';
import { openJudge, readyJudge } from './judge.js';
import { DEFAULT_ENGINE, DEFAULTS } from './options.js';
import { prepareAudit } from './prepare.js';

export interface Check {
  readonly name: string;
  /** `warn`: works, but slower or less exactly than it could. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

/** Looks at this machine and tests the instrument on it: the embedded judge, or `model`. */
export async function doctor(
  options: { readonly model: string | null; readonly gpu: GpuOption },
  onCheck: (check: Check) => void,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const add = (name: string, state: Check['state'], text: string): void => {
    const check = { name, state, text };
    checks.push(check);
    onCheck(check);
  };
  const attempt = async (name: string, run: () => Promise<void> | void): Promise<void> => {
    try {
      await run();
    } catch (error) {
      add(name, 'fail', messageOf(error));
    }
  };

  add('node', 'ok', `${process.version} on ${process.platform}-${process.arch}`);
  const host = hostFacts();
  add(
    'machine',
    'ok',
    `${host.cpu}, ${host.cores} cores, ${(host.freeBytes / 2 ** 30).toFixed(1)} GiB of memory free`,
  );
  await attempt('addon', async () => {
    await ensureAddon();
    add('addon', 'ok', `compiled against llama.cpp ${loadBinding().compiledRelease}`);
  });
  for (const backend of BACKENDS) {
    const found = findLibrary(backend);
    if (found !== null) add(`libraries (${backend})`, 'ok', `llama.cpp ${found.release}`);
    else if (backend === 'cpu')
      add('libraries (cpu)', 'fail', 'not installed: run "npm install" with optional dependencies');
  }
  await attempt('backend', async () => {
    add('backend', 'ok', `--gpu ${options.gpu} uses ${await chooseBackend(options.gpu)}`);
  });
  await attempt('self-test', () => selfTest(options, add));
  return checks;
}

async function selfTest(
  { model, gpu }: { readonly model: string | null; readonly gpu: GpuOption },
  add: (name: string, state: Check['state'], text: string) => void,
): Promise<void> {
  const engine = { ...DEFAULT_ENGINE, gpu };
  const path = model ?? demoModel();
  const prepared = await prepareAudit({
    ...DEFAULTS,
    model: path,
    corpus: 'demo',
    perDomain: 4,
    placebo: 'off',
    profile: PROFILES.standard,
    engine,
  });
  const quiet = { onStage() {}, onLoad() {} };
  const opened = await openJudge(path, prepared.rows, PROFILES.standard, engine, quiet);
  try {
    const { header, pool } = opened;
    add(
      'model',
      'ok',
      `${header.name ?? path}: ${header.architecture}, ${header.dominantType}, ${(header.parameters / 1e6).toFixed(1)} million parameters, ${header.nLayer} blocks, width ${header.nEmbd}, trained for ${header.contextLength} tokens`,
    );
    add('cpu kernels', 'ok', pool.facts.systemInfo);
    for (const device of pool.facts.devices) {
      add(
        'device',
        'ok',
        `${device.name}: ${device.description}, ${(device.free / 2 ** 30).toFixed(1)} GiB free`,
      );
    }
    const slow = slowFormatNote(header.dominantType, process.arch);
    add('format', slow === null ? 'ok' : 'warn', slow ?? `${header.dominantType}`);
    const ready = await readyJudge(opened, engine, quiet, { measureAnew: true });
    const { split } = ready;
    const rate = split.rate === null ? '' : `, ${Math.round(split.rate)} tokens/s`;
    add(
      'division of cores',
      'ok',
      `${split.workers} processes × ${split.threads} threads is the fastest here${rate}`,
    );
    add('exactness', ready.exactness.kind === 'exact' ? 'ok' : 'warn', exactnessText(ready.exactness));
    await judgeAll(ready, add);
  } finally {
    await opened.pool.dispose();
  }
}

/** Every prompt once, through all processes: nothing may fail. */
async function judgeAll(
  judge: Awaited<ReturnType<typeof readyJudge>>,
  add: (name: string, state: Check['state'], text: string) => void,
): Promise<void> {
  let landed = 0;
  const failures: string[] = [];
  const began = performance.now();
  const counters = await judge.pool.run(judge.plan.jobs, {
    onOutcome: () => landed++,
    onFailure: (_id, error) => failures.push(error.message),
  });
  const seconds = (performance.now() - began) / 1000;
  if (failures.length > 0)
    add('run', 'fail', `${failures.length} of ${judge.evals.length} evaluations failed: ${failures[0]}`);
  else
    add(
      'run',
      'ok',
      `${landed} evaluations in ${seconds.toFixed(1)} s, ${Math.round(counters.tokens / seconds)} tokens/s`,
    );
}
