import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

/** Every `import()` of the program, but for Node's own modules, goes through src/load-module.ts. */
const imports = /\bimport\((?="(?!node:))/g;
const loader = 'import{loadModule}from"./load-module.js";\n';
/** What code that was CommonJS reads Node's modules with. */
const requireFunction =
  'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);\n';

/** Packages that are bundled, because only the program uses them: to find and to read their files takes longer than to run them. */
export default defineConfig({
  ...application,
  entry: { cli: 'src/cli.ts', 'load-module': 'src/load-module.ts' },
  // What the manifest names as a dependency stays outside: npm installs it, and can install another version of it.
  skipNodeModulesBundle: false,
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
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
});
