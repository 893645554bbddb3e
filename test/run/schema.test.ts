import { describe, expect, test } from 'vitest';
import { DERIVED, fromBatch, READINGS, toBatch } from '../../src/run/schema.js';
import type { Reading } from '../../src/run/types.js';
import { derivedRow, range, reading } from './rows.js';

describe('schema', () => {
  test('has the columns of the format, in order', () => {
    expect(READINGS.schema.names.join(' ')).toBe(
      'key sample_id domain rule_id condition applicable visible reason profile alpha layer position_scope ' +
        'direction step_norm residual_share label verdict_text verdict_logit logprob_compliant logprob_noncompliant first_logit_compliant ' +
        'first_logit_noncompliant margin label_mass kl generated null_reason n_tokens prompt_sha256 tokens_sha256 ' +
        'ics ics_cos residual_norm batch_id error_code',
    );
    expect(DERIVED.schema.names.join(' ')).toBe(
      'sample_id domain label reader baseline_verdict flip_delete flip_swap flip_negate flip_placebo shift_delete ' +
        'shift_swap shift_negate shift_placebo ics_delta_delete ics_delta_swap ics_delta_negate ics_delta_placebo ' +
        'ics_control_delete ics_control_swap ics_control_negate ics_control_placebo ocs group',
    );
  });

  // A change here is a change of the format: it needs a new SCHEMA_VERSION.
  test('version 2 has these types and word lists', () => {
    expect([...READINGS.schema.metadata]).toEqual([['plumbline.schema', '2']]);
    const types = new Map(READINGS.schema.fields.map(f => [f.name, `${f.type}${f.nullable ? '?' : ''}`]));
    expect(types.get('key')).toBe('Utf8');
    expect(types.get('condition')).toBe('Dictionary<Int8, Utf8>');
    expect(types.get('position_scope')).toBe('Dictionary<Int8, Utf8>?');
    expect(types.get('label')).toBe('Int8');
    expect(types.get('verdict_text')).toBe('Int8?');
    expect(types.get('margin')).toBe('Float64?');
    const words = (name: string) => [
      ...(toBatch(READINGS, [reading(1)]).getChild(name)?.data[0]?.dictionary ?? []),
    ];
    expect(words('condition')).toEqual(['baseline', 'delete', 'swap', 'negate', 'placebo']);
    expect(words('position_scope')).toEqual(['last', 'all']);
  });

  test('is frozen, and a batch keeps its nullable flags', () => {
    expect(Object.isFrozen(READINGS.schema)).toBe(true);
    expect(() => READINGS.schema.fields.pop()).toThrow(TypeError);
    const flags = toBatch(READINGS, [reading(0)]).schema.fields.map(field => field.nullable);
    expect(flags).toEqual(READINGS.schema.fields.map(field => field.nullable));
  });
});

describe('batches', () => {
  test('give their rows back at any length', () => {
    for (const n of range(71)) {
      const readings = range(n).map(i => reading(i));
      expect(fromBatch(READINGS, toBatch(READINGS, readings))).toEqual(readings);
      const derived = range(n).map(derivedRow);
      expect(fromBatch(DERIVED, toBatch(DERIVED, derived))).toEqual(derived);
    }
  });

  test.each<readonly [string, Partial<Record<keyof Reading, unknown>>]>([
    ['label', { label: 2 }],
    ['verdictText', { verdictText: -1 }],
    ['condition', { condition: 'paraphrase' }],
    ['positionScope', { positionScope: 'first' }],
    ['nTokens', { nTokens: 1.5 }],
    ['batchId', { batchId: 2 ** 31 }],
    ['margin', { margin: undefined }],
    ['applicable', { applicable: null }],
    ['domain', { domain: null }],
    ['key', { key: 'a\ud800' }],
    ['direction', { direction: 1 }],
    ['kl', { kl: '0' }],
  ])('refuse a value that %s cannot hold, and name it', (property, change) => {
    const rows = [reading(0), { ...reading(1), ...change } as Reading];
    expect(() => toBatch(READINGS, rows)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining(`row 1 of 2: ${property} is`),
      }),
    );
  });
});
