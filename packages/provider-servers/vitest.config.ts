import { defineConfig, mergeConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

export default defineConfig(
  mergeConfig(vitestBase, {
    // Loading the SDKs anew for each file took longer than the tests, and no test leaves anything behind in a module.
    test: { isolate: false },
  }),
);
