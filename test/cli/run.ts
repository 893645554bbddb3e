import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deriveSample } from '../../src/audit/ocs.js';
import { loadCorpus } from '../../src/corpus/load.js';
import type { Case, Corpus, Label } from '../../src/corpus/types.js';
import { alterRule } from '../../src/perturb/alter.js';
import { canonicalRules } from '../../src/perturb/canonical.js';
import { CONDITIONS, type Condition } from '../../src/perturb/types.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { profileText, renderPrompt, shownRule } from '../../src/prompt/render.js';
import type { Profile } from '../../src/prompt/types.js';
import { createRun } from '../../src/run/directory.js';
import { type Manifest, NO_VECTORS, planHash } from '../../src/run/manifest.js';
import type { Reading } from '../../src/run/types.js';
import { reading } from '../audit/rows.js';
import { manifest } from '../run/rows.js';

const DEMO = fileURLToPath(new URL('../../models/demo-corpus.jsonl', import.meta.url));
const DOMAINS = ['expense_approval', 'lab_safety'];

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** Two domains of the demo corpus as a file of their own: 96 cases. */
export function writeCorpus(folder: string, more: readonly object[] = []): string {
  const file = join(folder, 'small.jsonl');
  const kept = readFileSync(DEMO, 'utf8')
    .split('\n')
    .filter(line => DOMAINS.some(domain => line.includes(`"domain":"${domain}"`)));
  writeFileSync(file, `${[...kept, ...more.map(item => JSON.stringify(item))].join('\n')}\n`);
  return file;
}

export interface RunOptions {
  readonly dir: string;
  /** A file that {@link writeCorpus} wrote. */
  readonly corpus: string;
  /** Every n-th case of the corpus is a sample. */
  readonly every?: number;
  readonly profile?: Profile;
  readonly conditions?: readonly Condition[];
  /** Rows that are planned and never written. */
  readonly leaveOut?: (row: Reading) => boolean;
  readonly change?: (row: Reading) => Reading;
  readonly manifest?: Partial<Manifest>;
}

/** A finished run of a judge that follows the label, except that it says compliant when the rule is gone. */
export async function makeRun(
  options: RunOptions,
): Promise<{ readonly corpus: Corpus; readonly samples: readonly Case[] }> {
  const { every = 8, profile = PROFILES.standard, conditions = CONDITIONS, change = row => row } = options;
  const corpus = await loadCorpus(`jsonl:${options.corpus}`);
  const samples = corpus.cases.filter((_, i) => i % every === 0);
  const plan = {
    corpus: { format: corpus.format, files: corpus.files },
    sampleIds: samples.map(({ id }) => id),
    conditions,
    profile: { name: profile.name, sha256: sha256(JSON.stringify(profile)) },
    alphas: [],
    layers: [],
    positionScope: null,
    direction: null,
    vectors: NO_VECTORS,
    seed: 7,
  };
  const placebo = new Set(samples.slice(0, 3).map(({ id }) => id));
  const context = { seed: plan.seed, canonical: canonicalRules(corpus), placebo };
  const rowOf = (item: Case, condition: Condition): Reading => {
    const { applicable, reason, rule } = alterRule(item, condition, context);
    const verdict: Label = condition === 'delete' ? 1 : item.label;
    const prompt = profileText(renderPrompt(profile, rule, item.scenario));
    const seen = shownRule(profile, rule) !== shownRule(profile, item.rule);
    return reading(item.id, condition, applicable ? verdict : null, {
      domain: item.domain,
      ruleId: item.ruleId,
      label: item.label,
      profile: profile.name,
      applicable,
      reason,
      visible: applicable && (condition === 'baseline' || condition === 'placebo' || seen),
      nullReason: null,
      ...(applicable && {
        margin: verdict === 1 ? 1.5 : -1.25,
        logprobCompliant: -0.5,
        logprobNoncompliant: verdict === 1 ? -2 : 0.75,
        labelMass: 0.9,
        generated: verdict === 1 ? ' Compliant.' : ' Non-compliant',
        nTokens: prompt.length,
        promptSha256: sha256(prompt),
      }),
    });
  };
  const rows = samples.map(item => conditions.map(condition => change(rowOf(item, condition))));
  const writer = createRun(
    options.dir,
    {
      ...manifest(0),
      ...plan,
      planHash: planHash(plan),
      plannedRows: rows.flat().length,
      options: { profile: JSON.parse(JSON.stringify(profile)), columnMap: null },
      ...options.manifest,
    },
    { modelPath: '/models/judge.gguf', corpusPath: options.corpus, argv: ['audit'] },
  );
  const landed = rows.map(ofSample => ofSample.filter(row => !(options.leaveOut?.(row) ?? false)));
  const whole = landed.filter(ofSample => ofSample.length === conditions.length);
  writer.appendReadings(landed.flat());
  writer.appendDerived(whole.map(ofSample => deriveSample(ofSample, 'text')));
  writer.finish();
  writer.close();
  return { corpus, samples };
}
