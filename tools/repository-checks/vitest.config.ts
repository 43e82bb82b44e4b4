import { configDefaults, defineConfig } from 'vitest/config';
import { vitestProject } from '../../vitest.base.ts';

const project = vitestProject(import.meta.dirname);

// What is built, packed and installed has a run of its own: vitest.published.config.ts.
export default defineConfig({
  ...project,
  test: { ...project.test, exclude: [...configDefaults.exclude, 'src/published/**'] },
});
