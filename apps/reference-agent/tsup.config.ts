import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import { application } from '../../tsup.base.ts';
import { writeNotices } from './third-party-notices.ts';

/** Every `import()` of the program, but for Node's own modules, goes through src/load-module.ts. */
const imports = /\bimport\((?="(?!node:))/g;
const loader = 'import{loadModule}from"./load-module.js";\n';
/** What code that was CommonJS reads Node's modules with. */
const requireFunction =
  'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);\n';

/** All that the program imports is in its own files: those of a hundred packages take longer to find and read than to run. */
const bundled: Options = {
  ...application,
  skipNodeModulesBundle: false,
  noExternal: [/^(?!node:)/],
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  // What the packages' own builds have left is known: imports for effects that modules do not have.
  esbuildOptions: (options) => void (options.logOverride = { 'ignored-bare-import': 'silent' }),
};

export default defineConfig([
  {
    ...bundled,
    entry: { cli: 'src/cli.ts', 'load-module': 'src/load-module.ts' },
    onSuccess: () => writeNotices('dist'),
    plugins: [
      {
        name: 'load-module',
        renderChunk: (code, { path }) => {
          if (path.endsWith('load-module.js')) return;
          const changed = code.replace(imports, 'loadModule(');
          const head =
            (changed === code ? '' : loader) + (/\brequire\b\(|typeof require\b/.test(code) ? requireFunction : '');
          return { code: changed.replace(/^(#!.*\n)?/, `$1${head}`) };
        },
      },
    ],
  },
  {
    ...bundled,
    // The code of a worker thread is a file of its own, beside the code that starts it.
    entry: { 'search-worker': '../../packages/tools/src/search/search-worker.mjs' },
    outExtension: () => ({ js: '.mjs' }),
    clean: false,
    metafile: false,
  },
]);
