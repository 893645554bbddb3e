import type { Command } from 'commander';
import { auditCommand } from './audit.js';
import { verifyCommand } from './verify.js';

/** Every command, in the order of `--help`: one file each, parse, call, print. */
export const COMMANDS: readonly (() => Command)[] = [auditCommand, verifyCommand];
