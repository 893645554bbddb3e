import type { Command } from 'commander';
import { analyzeCommand } from './analyze.js';
import { auditCommand } from './audit.js';
import { verifyCommand } from './verify.js';

/** Every command, in the order of `--help`: one file each, parse, call, print. */
export const COMMANDS: readonly (() => Command)[] = [auditCommand, analyzeCommand, verifyCommand];
