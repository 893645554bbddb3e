import { Command } from 'commander';
import { gateAuditCommand } from './audit.js';
import { gateBuildCommand } from './build.js';
import { gateCheckCommand } from './check.js';
import { gateDiluteCommand } from './dilute.js';
import { gateEffectiveCommand } from './effective.js';
import { gateHyperbolicCommand } from './hyperbolic.js';
import { gatePresetsCommand } from './presets.js';
import { gateRepairCommand } from './repair.js';
import { gateScanCommand } from './scan.js';

const COMMANDS = [
  gateAuditCommand,
  gateCheckCommand,
  gateBuildCommand,
  gatePresetsCommand,
  gateEffectiveCommand,
  gateRepairCommand,
  gateHyperbolicCommand,
  gateDiluteCommand,
  gateScanCommand,
];

/** The second instrument: similarity gates. */
export function gateCommand(): Command {
  const command = new Command('gate').description(
    'Audit similarity gates: does an embedding score tell a decision from its reversal, or only the wording?',
  );
  for (const make of COMMANDS) command.addCommand(make().exitOverride());
  return command;
}
