import { defineConfig } from 'vitest/config';
import { vitestProject } from '../../vitest.base.ts';

const project = vitestProject(import.meta.dirname);

/** `npm run pictures`: what draws the pictures of the documentation is no test. */
export default defineConfig({
  ...project,
  test: { ...project.test, include: ['test-support/**/*.draw.ts'], reporters: ['default'], testTimeout: 1_800_000 },
});
