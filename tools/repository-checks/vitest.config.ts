import { configDefaults, defineConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

// What is built, packed and installed has a run of its own: vitest.published.config.ts.
export default defineConfig({
  ...vitestBase,
  test: { ...vitestBase.test, exclude: [...configDefaults.exclude, 'src/published/**'] },
});
