import { defineConfig, mergeConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

// Its tests replace streams of the process and start threads: each file has its modules to itself.
export default mergeConfig(defineConfig(vitestBase), defineConfig({ test: { isolate: true } }));
