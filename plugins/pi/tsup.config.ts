import { defineConfig } from 'tsup';
import { plugin } from '../../tsup.base.ts';

export default defineConfig({ ...plugin, entry: ['src/index.ts'] });
