import { defineConfig } from 'tsup';
import { application, library } from '../../tsup.base.ts';

export default defineConfig([library(['index']), { ...application, clean: false }]);
