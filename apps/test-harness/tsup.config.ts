import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

export default defineConfig(application);
