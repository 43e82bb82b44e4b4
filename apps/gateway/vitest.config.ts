import { defineConfig } from 'vitest/config';
import { vitestProject } from '../../vitest.base.ts';

export default defineConfig(vitestProject(import.meta.dirname));
