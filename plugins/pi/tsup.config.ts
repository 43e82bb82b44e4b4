import { defineConfig } from 'tsup';
import { plugin } from '../../tsup.base.ts';

// `index` is what pi translates each time it starts: a few lines, which load the other file by `require`.
export default defineConfig({ ...plugin, entry: ['src/index.ts', 'src/pi-session.ts'] });
