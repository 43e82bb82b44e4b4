import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library(['index', 'openai', 'anthropic', 'tokens', 'wire', 'by-name', 'text-tool-calls', 'testing']),
);
