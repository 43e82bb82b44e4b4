import { defineConfig } from 'vitest/config';
import { vitestProject } from '../../vitest.base.ts';

// Nx loads a generator without the sources' condition: what is tested is the built package.
export default defineConfig({ test: vitestProject(import.meta.dirname).test ?? {} });
