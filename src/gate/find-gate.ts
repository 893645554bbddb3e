import { existsSync } from 'node:fs';
import { byCloseness } from '../corpus/closeness.js';
import { PlumblineError } from '../errors.js';
import { type Gate, readGate } from './gates.js';
import { PRESETS } from './presets.js';

/** The gate of a preset's name, or of a user's file. Errors: GATE_INVALID. */
export function findGate(nameOrFile: string): Gate {
  const preset = PRESETS.find(({ name }) => name === nameOrFile);
  if (preset !== undefined) {
    if (preset.gate !== null) return preset.gate;
    throw new PlumblineError(
      'GATE_INVALID',
      `${nameOrFile} has no threshold on a cosine: ${preset.remark ?? preset.constant}`,
    );
  }
  if (existsSync(nameOrFile)) return readGate(nameOrFile);
  const [nearest] = byCloseness(
    nameOrFile,
    PRESETS.map(({ name }) => name),
  );
  throw new PlumblineError(
    'GATE_INVALID',
    `no gate and no file is named ${nameOrFile}: the nearest preset is ${nearest}; plumbline gate presets lists all`,
  );
}
