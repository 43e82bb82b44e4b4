import { copyFile } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig({
  ...library(['index', 'diff', 'permissions', 'process']),
  // `import.meta.url` in CommonJS.
  shims: true,
  // The code of a worker thread is a file of its own, beside the code that starts it.
  onSuccess: () => copyFile('src/search/search-worker.mjs', 'dist/search-worker.mjs'),
});
