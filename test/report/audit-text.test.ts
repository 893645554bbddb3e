import { expect, test } from 'vitest';
import type { PreparedAudit } from '../../src/api/prepare.js';
import { readyText } from '../../src/report/audit-text.js';

const prepared = (cases: readonly { readonly domain: string }[]) =>
  ({
    cases,
    rows: cases.map(() => ({ applicable: true })),
    options: { profile: { name: 'standard' } },
  }) as unknown as PreparedAudit;

test('the job is counted in the singular when it is one', () => {
  expect(readyText(prepared([{ domain: 'a' }]), null)).toEqual([
    '1 sample of 1 domain, 1 evaluation, profile standard',
  ]);
  expect(readyText(prepared([{ domain: 'a' }, { domain: 'b' }]), null)).toEqual([
    '2 samples of 2 domains, 2 evaluations, profile standard',
  ]);
});
