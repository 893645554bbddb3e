import type { EncoderPreset } from '../gate/encoder-presets.js';
import { NONE } from './format.js';
import { left, renderTable, right, type Style, wrap } from './table.js';

/** What `gate presets --encoders` prints: how each published model is to be used. */
export function encoderPresetsText(presets: readonly EncoderPreset[], style: Style): string {
  const table = renderTable(
    {
      columns: [
        left('preset'),
        left('model'),
        left('pooling'),
        left('prefix'),
        left('layer norm'),
        right('dims'),
      ],
      rows: presets.map(({ name, model, pooling, prefix, layerNorm, dims }) => [
        name,
        // Names of presets must be readable in full; owners are in the JSON.
        model.slice(model.indexOf('/') + 1),
        pooling ?? 'as the file says',
        prefix === '' ? NONE : JSON.stringify(prefix),
        layerNorm ? 'yes' : 'no',
        dims === null ? 'all' : String(dims),
      ]),
    },
    style,
  );
  const remarks = presets.flatMap(({ name, remark }) =>
    remark === null ? [] : [wrap(`${name}: ${remark}`)],
  );
  return [table, '', ...remarks].join('\n');
}
