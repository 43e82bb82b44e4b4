import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { vitestProject, workersOfLongProjects } from '../../vitest.base.ts';

const folder = import.meta.dirname;
const project = vitestProject(folder);

export default defineConfig({
  ...project,
  test: {
    ...project.test,
    include: ['src/published/**/*.test.ts'],
    globalSetup: [path.join(folder, 'src/published/pack-once.ts')],
    maxWorkers: workersOfLongProjects,
    reporters: ['default', ['json', { outputFile: path.join(folder, 'published-report.json') }]],
  },
});
