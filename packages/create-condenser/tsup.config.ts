import { defineConfig } from 'tsup';
import { application, library } from '../../tsup.base.ts';

// The template is found beside the code, in CommonJS too.
export default defineConfig([
  { ...library(['index']), shims: true },
  { ...application, clean: false },
]);
