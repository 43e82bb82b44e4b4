import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

/** Every `import()` of the program, but for Node's own modules, goes through src/load-module.ts. */
const imports = /\bimport\((?="(?!node:))/g;

export default defineConfig({
  ...application,
  entry: ['src/cli.ts', 'src/load-module.ts'],
  plugins: [
    {
      name: 'load-module',
      renderChunk: (code) => {
        const changed = code.replace(imports, 'loadModule(');
        if (changed === code) return;
        return { code: changed.replace(/^(#!.*\n)?/, '$1import { loadModule } from "./load-module.js";\n') };
      },
    },
  ],
});
