import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Native engine tests share two cores: more test processes only make each slower.
    pool: 'forks',
    maxWorkers: 2,
  },
});
