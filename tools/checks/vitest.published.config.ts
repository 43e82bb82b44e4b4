import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { vitestProject, moreWorkers } from '../../vitest.base.ts';

const folder = import.meta.dirname;
const project = vitestProject(folder);

export default defineConfig({
  ...project,
  test: {
    ...project.test,
    include: ['src/published/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: [path.join(folder, 'src/published/pack-once.ts')],
    maxWorkers: moreWorkers,
    // They install packages, and wait for the registry.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', ['json', { outputFile: path.join(folder, 'published-report.json') }]],
  },
});
