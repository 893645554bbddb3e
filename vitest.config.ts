import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Guards against a hang only: on a busy machine a test may take minutes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Native engine tests share two cores: more test processes only make each slower.
    pool: 'forks',
    maxWorkers: 2,
  },
});
