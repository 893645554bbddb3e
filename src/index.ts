/**
 * The library: what the commands do, as functions. Every function takes plain values, writes what it is told to write,
 * and throws {@link PlumblineError} with a code of {@link ERROR_CODES}.
 */
export { type AgainstChanges, optionsAgainst } from './api/against.js';
export { analyzeRun, writeAnalysis } from './api/analyze-run.js';
export { type AnalyzedRuns, analyzeRuns } from './api/analyze-runs.js';
export { type AuditEvents, type AuditResult, audit, resumeAudit } from './api/audit.js';
export { calibrate } from './api/calibrate.js';
export { type Demo, type DemoEvents, demo, demoModel, demoOptions } from './api/demo.js';
export type { DirectionOptions } from './api/direction.js';
export { type DryRun, dryRun } from './api/dry-run.js';
export { type FeatureOptions, type FeatureReport, ruleFeatures } from './api/features.js';
export {
  FIT_DEFAULTS,
  type FitEvents,
  type FitOptions,
  type FitReport,
  fitDirection as fit,
} from './api/fit.js';
export { type OpenModel, openModel, type Prompt, type Reading as ModelReading } from './api/model.js';
export { type AuditOptions, DEFAULT_ENGINE, DEFAULTS, type EngineOptions } from './api/options.js';
export { buildReport, type Report, type ReportOptions, writeReport } from './api/report.js';
export { checkSanity, type SanityEvents } from './api/sanity.js';
export { resumeSweep, type SweepEvents, type SweepResult, sweep } from './api/sweep.js';
export { analyzeSweepRun } from './api/sweep-analysis.js';
export { SWEEP_DEFAULTS, type SweepOptions } from './api/sweep-options.js';
export type { Sanity, SanityRow } from './audit/sanity-types.js';
export { loadCorpus } from './corpus/load.js';
export { sampleCases } from './corpus/sample.js';
export type { Case, Corpus, Label } from './corpus/types.js';
export { type Direction, readDirection, writeControlVector } from './direction/vector-file.js';
export { readGgufHeader } from './engine/gguf-header.js';
export { ERROR_CODES, type ErrorCode, PlumblineError } from './errors.js';
export { loadProfile } from './prompt/load-profile.js';
export { PROFILES } from './prompt/profiles.js';
export type { Profile } from './prompt/types.js';
export { readActivations, readControls, readDerived, readReadings } from './run/reader.js';
export type { DerivedRow, Exactness, Reading } from './run/types.js';
export { verifyRun } from './run/verify.js';
