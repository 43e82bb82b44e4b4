import { defineConfig } from 'vitest/config';
import { vitestBase, workersOfLongProjects } from '../../vitest.base.ts';

export default defineConfig({
  ...vitestBase,
  test: {
    ...vitestBase.test,
    include: ['src/published/**/*.test.ts'],
    globalSetup: 'src/published/pack-once.ts',
    maxWorkers: workersOfLongProjects,
    // They install packages, and wait for the registry.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', ['json', { outputFile: 'published-report.json' }]],
  },
});
