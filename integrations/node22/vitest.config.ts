import { defineConfig } from 'vitest/config';
import { vitestProject } from '../../vitest.base.ts';

// On the built packages, as an application has them: no condition names their sources.
export default defineConfig({ test: vitestProject(import.meta.dirname).test ?? {} });
