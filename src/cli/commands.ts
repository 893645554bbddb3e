import type { Command } from 'commander';
import { analyzeCommand } from './analyze.js';
import { auditCommand } from './audit.js';
import { benchCommand } from './bench.js';
import { calibrateCommand } from './calibrate.js';
import { demoCommand } from './demo.js';
import { doctorCommand } from './doctor.js';
import { exportCommand } from './export.js';
import { featuresCommand } from './features.js';
import { fitCommand } from './fit.js';
import { gateCommand } from './gate/gate.js';
import { inspectCommand } from './inspect.js';
import { reportCommand } from './report.js';
import { sweepCommand } from './sweep.js';
import { verifyCommand } from './verify.js';

/** Every command, in the order of `--help`: one file each, parse, call, print. */
export const COMMANDS: readonly (() => Command)[] = [
  demoCommand,
  calibrateCommand,
  auditCommand,
  analyzeCommand,
  reportCommand,
  exportCommand,
  verifyCommand,
  inspectCommand,
  fitCommand,
  sweepCommand,
  gateCommand,
  featuresCommand,
  doctorCommand,
  benchCommand,
];
