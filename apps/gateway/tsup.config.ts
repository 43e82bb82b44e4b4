import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

export default defineConfig({
  ...application,
  entry: { cli: 'src/cli/cli.ts', worker: 'src/server/worker.ts' },
  // It is not published. What it imports is a dependency of this program.
  noExternal: ['@palimpsest/terminal'],
});
