import { defineConfig } from 'tsup';
import { plugin } from '../../tsup.base.ts';

// opencode loads each half in a thread of its own, and gives the terminal's what it draws with. Both are built at once: neither cleans.
const half = { ...plugin, clean: false };
// opencode looks for these imports in the text, and does not find them where the white space is left out.
const given = { external: ['@opentui/solid', 'solid-js'], noExternal: [], minifyWhitespace: false };

export default defineConfig([
  { ...half, entry: ['src/index.ts'] },
  { ...half, ...given, entry: ['src/tui.ts'] },
]);
