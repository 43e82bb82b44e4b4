import { defineConfig } from 'vitest/config';
import { vitestBase, workersOfLongProjects } from '../../vitest.base.ts';

export default defineConfig({
  ...vitestBase,
  test: {
    ...vitestBase.test,
    include: ['src/published/**/*.test.ts'],
    globalSetup: 'src/published/pack-once.ts',
    maxWorkers: workersOfLongProjects,
    reporters: ['default', ['json', { outputFile: 'published-report.json' }]],
  },
});
