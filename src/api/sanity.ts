import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Sample, samplesOf } from '../audit/analyze-samples.js';
import { type PlannedRow, planAudit } from '../audit/plan.js';
import { labelRows, ruleRows, weightRows } from '../audit/sanity.js';
import { chooseSamples, donorsOf, permuteLabels } from '../audit/sanity-shuffle.js';
import type { Sanity } from '../audit/sanity-types.js';
import type { Case } from '../corpus/types.js';
import { readGgufHeader } from '../engine/gguf-header.js';
import { requireSpace, shuffleModel } from '../engine/gguf-shuffle.js';
import { PlumblineError } from '../errors.js';
import { shownRule } from '../prompt/render.js';
import { attempt, nodeFiles } from '../run/files.js';
import { acquireLock } from '../run/lock.js';
import { diffManifest, type Manifest, readLocal, readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import type { JudgeEvents } from './judge.js';
import { optionsOf } from './manifest.js';
import type { AuditOptions } from './options.js';
import { type PreparedAudit, prepareAudit } from './prepare.js';
import { evaluateBaselines } from './sanity-evaluate.js';
import { readSanity, writeSanity } from './sanity-file.js';

/** Samples that are used at most, shuffled copies of the model, permutations of the labels. */
export const SANITY_SAMPLES = 120;
export const SANITY_COPIES = 5;
const PERMUTATIONS = 100;

/** Folder in the run that holds one shuffled copy at a time; removed when the checks end, however they end. */
export const SANITY_FOLDER = 'sanity.tmp';

export interface SanityEvents extends JudgeEvents {
  /** Called whenever an evaluation has landed. */
  onRow(done: number, total: number): void;
}

/**
 * Refuses sanity checks that could not be made, before the audit runs: a subject without weights, a disk without room
 * for a copy of the model. Errors: USAGE, IO, and what the header check throws.
 */
export async function requireSanity(options: AuditOptions, dir: string): Promise<void> {
  if (options.subject !== 'model' || options.model === null) {
    throw new PlumblineError(
      'USAGE',
      '--sanity shuffles the weights and the rules of a model, and --subject lexical has neither; leave one of the two out.',
    );
  }
  await requireSpace(await readGgufHeader(options.model), standing(dir));
}

/** The folder itself, or the nearest one above that is there. */
function standing(dir: string): string {
  const there = statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return there || dirname(dir) === dir ? dir : standing(dirname(dir));
}

/**
 * The sanity checks of a whole run: its numbers once more with shuffled weights, shuffled labels and shuffled rules, on
 * at most {@link SANITY_SAMPLES} of its samples. Writes sanity.json whole; a run that has one keeps it. Rows, plan hash
 * and `verify` do not change.
 *
 * Errors: USAGE for a run without a model or a sweep; RUN_INCOMPLETE for one with rows missing; RUN_MISMATCH when model
 * or corpus are not what the run was made with; RUN_LOCKED; INTERRUPTED; what the stages throw.
 */
export async function checkSanity(dir: string, events: SanityEvents): Promise<Sanity> {
  const manifest = readManifest(nodeFiles, dir);
  if (manifest.model === null || manifest.steering !== undefined) {
    throw new PlumblineError(
      'USAGE',
      `${dir} is no audit of a model: --sanity has no weights to shuffle there.`,
    );
  }
  const known = readSanity(dir, manifest.planHash);
  if (known.sanity !== null) return known.sanity;
  const release = acquireLock(nodeFiles, dir);
  const folder = join(dir, SANITY_FOLDER);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    remove();
    const sanity = await check(dir, manifest, folder, events);
    writeSanity(dir, sanity);
    return sanity;
  } catch (error) {
    // Ending the engine makes whatever is going on fail in some way; what is to be said is that it was stopped.
    throw events.signal?.aborted ? stopped(dir, error) : error;
  } finally {
    remove();
    process.off('exit', remove);
    release();
  }
}

function stopped(dir: string, cause: unknown): PlumblineError {
  return new PlumblineError(
    'INTERRUPTED',
    `Stopped: the rows of ${dir} are whole, the sanity checks are not written. Begin them again with --resume ${dir} --sanity`,
    { cause },
  );
}

async function check(dir: string, manifest: Manifest, folder: string, events: SanityEvents): Promise<Sanity> {
  const readings = readReadings(dir);
  if (readings.length < manifest.plannedRows) {
    throw new PlumblineError(
      'RUN_INCOMPLETE',
      `${manifest.plannedRows - readings.length} of ${manifest.plannedRows} planned rows of ${dir} are missing: go on with --resume ${dir} --sanity`,
    );
  }
  const { seed } = manifest;
  const options = optionsOf(manifest, readLocal(nodeFiles, dir), dir);
  const prepared = await prepareAudit(options, manifest.sampleIds);
  requireCorpus(dir, manifest, prepared);
  if (options.model === null) throw new PlumblineError('RUN_MISMATCH', `${dir}/local.json names no model.`);
  const before = chooseSamples(samplesOf(readings), SANITY_SAMPLES, seed);
  const cases = casesOf(before, prepared);
  const plan = (items: readonly Case[]): readonly PlannedRow[] =>
    planAudit(items, {
      conditions: ['baseline'],
      profile: options.profile,
      perturb: { seed, canonical: new Map(), placebo: new Set() },
    });
  const donors = donorsOf(cases, item => shownRule(options.profile, item.rule), seed);
  const total = donors.length + SANITY_COPIES * cases.length;
  let done = 0;
  const evaluate = async (path: string, items: readonly Case[], own: boolean): Promise<readonly Sample[]> => {
    const onRow = (): void => events.onRow(++done, total);
    const rows = plan(items);
    return samplesOf(await evaluateBaselines(path, rows, { dir, manifest, options, own, onRow }, events));
  };

  events.onStage(`sanity: ${donors.length} prompts with the rule of another sample`);
  const ruled =
    donors.length === 0
      ? []
      : await evaluate(
          options.model,
          donors.map(({ item, donor }) => ({ ...item, rule: donor.rule, ruleId: donor.ruleId })),
          true,
        );
  const header = await readGgufHeader(options.model);
  const copies: (readonly Sample[])[] = [];
  let tensors = { shuffled: 0, kept: 0 };
  for (let copy = 1; copy <= SANITY_COPIES; copy++) {
    events.onStage(`sanity: ${cases.length} prompts with shuffled weights, copy ${copy} of ${SANITY_COPIES}`);
    attempt('create', folder, () => mkdirSync(folder));
    const { path, ...counts } = await shuffleModel(header, folder, seed + copy, events.signal);
    tensors = counts;
    copies.push(await evaluate(path, cases, false));
    rmSync(folder, { recursive: true, force: true });
  }
  const permuted = Array.from({ length: PERMUTATIONS }, (_, i) => permuteLabels(before, seed + i));
  return {
    planHash: manifest.planHash,
    seed,
    samples: before.length,
    compliantLabels: before.filter(({ label }) => label === 1).length,
    copies: SANITY_COPIES,
    tensors,
    permutations: PERMUTATIONS,
    rules: {
      given: ruled.length,
      fromOtherDomain: donors.filter(({ item, donor }) => item.domain !== donor.domain).length,
    },
    rows: [
      ...weightRows(before, copies, seed),
      ...labelRows(before, permuted, seed),
      ...ruleRows(before, ruled, seed),
    ],
  };
}

function casesOf(samples: readonly Sample[], { cases }: PreparedAudit): readonly Case[] {
  const byId = new Map(cases.map(item => [item.id, item]));
  return samples.map(({ id }) => {
    const item = byId.get(id);
    if (item === undefined)
      throw new PlumblineError('RUN_MISMATCH', `The corpus no longer has the sample ${id}.`);
    return item;
  });
}

function requireCorpus(dir: string, manifest: Manifest, { corpus }: PreparedAudit): void {
  const differences = diffManifest(manifest, {
    ...manifest,
    corpus: { format: corpus.format, files: corpus.files },
  });
  if (differences.length === 0) return;
  throw new PlumblineError(
    'RUN_MISMATCH',
    `${dir} cannot be checked with the corpus that is here now:\n  ${differences.join('\n  ')}\nRestore what it was made with.`,
  );
}
