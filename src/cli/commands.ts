import type { Command } from 'commander';
import { verifyCommand } from './verify.js';

/** Every command, in the order of `--help`: one file each, parse, call, print. */
export const COMMANDS: readonly (() => Command)[] = [verifyCommand];
