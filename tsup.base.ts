import type { Options } from 'tsup';
import { pureConstants } from './pure-constants.base.ts';
import { rootByName } from './root-by-name.base.ts';

const shared: Options = {
  target: 'es2022',
  clean: true,
  // The code is published as it was written but for the types, and maps would triple what is installed.
  sourcemap: false,
  // What a package imports it declares; nothing of node_modules is copied into dist.
  skipNodeModulesBundle: true,
  removeNodeProtocol: false,
};

/** ESM, CJS and types for both. Entry `index` is `src/index.ts`; any other is the subpath `src/<entry>/index.ts`. */
export function library(entries: readonly string[]): Options {
  return {
    ...shared,
    entry: Object.fromEntries(
      entries.map((entry) =>
        entry === 'index' ? ['index', 'src/index.ts'] : [`${entry}/index`, `src/${entry}/index.ts`],
      ),
    ),
    format: ['esm', 'cjs'],
    // Shared chunks, so that two entries of one package never hold two copies of a class.
    splitting: true,
    esbuildPlugins: [pureConstants, rootByName],
    tsconfig: 'tsconfig.lib.json',
    // tsup's declaration build sets `baseUrl`, which TypeScript 6 deprecates, and knows no project references:
    // it reads the declarations that the siblings have built, not their sources.
    dts: { compilerOptions: { ignoreDeprecations: '6.0', composite: false, incremental: false, customConditions: [] } },
  };
}

/** A command: one ESM file, its `#!` line kept. */
export const application: Options = {
  ...shared,
  entry: ['src/cli.ts'],
  format: ['esm'],
};
