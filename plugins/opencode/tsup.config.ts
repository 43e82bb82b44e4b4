import { defineConfig } from 'tsup';
import { plugin } from '../../tsup.base.ts';

// opencode loads each half in a thread of its own, and gives the terminal's what it draws with.
const drawing = { external: ['@opentui/solid', 'solid-js'], noExternal: [], clean: false };

export default defineConfig([
  { ...plugin, entry: ['src/index.ts'] },
  { ...plugin, ...drawing, entry: ['src/tui.ts'] },
]);
