import { defineConfig } from 'vitest/config';
import { vitestBase } from '../../vitest.base.ts';

// On the built packages, as an application has them: no condition names their sources.
export default defineConfig({ test: { ...vitestBase.test } });
