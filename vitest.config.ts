import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What one run of the tests remembers is nothing to the next, nor to the user.
    env: { PLUMBLINE_CACHE: join(tmpdir(), `plumbline-test-${process.pid}`) },
    // Guards against a hang only: on a busy machine a test may take minutes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Native engine tests share two cores: more test processes only make each slower.
    pool: 'forks',
    maxWorkers: 2,
  },
});
