import { defineConfig, mergeConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

export default mergeConfig(
  defineConfig(vitestBase),
  defineConfig({ test: { globalSetup: 'test-support/postgres-once.ts' } }),
);
