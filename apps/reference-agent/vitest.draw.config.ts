import { defineConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

/** `npm run draw-screens`: what draws the pictures of the documentation is no test. */
export default defineConfig({
  ...vitestBase,
  test: { ...vitestBase.test, include: ['test-support/**/*.draw.ts'], reporters: ['default'] },
});
