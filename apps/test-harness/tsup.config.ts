import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

export default defineConfig({
  ...application,
  // Worker threads load a file of their own.
  entry: { cli: 'src/cli.ts', 'replay-worker': 'src/replay/replay-worker.ts' },
});
