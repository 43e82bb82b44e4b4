import { defineConfig, mergeConfig } from 'vitest/config';
import { vitestBase, workersOfLongProjects } from '../../vitest.base.ts';

export default mergeConfig(defineConfig(vitestBase), defineConfig({ test: { maxWorkers: workersOfLongProjects } }));
