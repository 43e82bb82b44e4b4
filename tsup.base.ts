import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Options } from 'tsup';
import { pureConstants } from './pure-constants.base.ts';
import { rootByName } from './root-by-name.base.ts';
import { thirdPartyNotices } from './third-party-notices.base.ts';

const shared: Options = {
  target: 'es2022',
  clean: true,
  // The code is published as it was written but for the types, and maps would triple what is installed.
  sourcemap: false,
  // What a package imports it declares; nothing of node_modules is copied into dist.
  skipNodeModulesBundle: true,
  removeNodeProtocol: false,
};

/**
 * `npm test` starts programs: they load ESM and need no declarations, and the rest takes three quarters of a build. The same is an input
 * of it in nx.json.
 */
const forPrograms = process.env['PALIMPSEST_BUILD_FOR_PROGRAMS'] === 'true';

/** ESM, CJS and types for both, or ESM alone. Entry `index` is `src/index.ts`; any other is the subpath `src/<entry>/index.ts`. */
export function library(entries: readonly string[]): Options {
  if (!forPrograms) execFileSync('tsgo', ['-b', 'tsconfig.lib.json', '--singleThreaded'], { stdio: 'inherit' });
  return {
    ...shared,
    entry: Object.fromEntries(entries.map((entry) => [fileOf(entry), `src/${fileOf(entry)}.ts`])),
    format: forPrograms ? ['esm'] : ['esm', 'cjs'],
    // Shared chunks, so that two entries of one package never hold two copies of a class.
    splitting: true,
    esbuildPlugins: [pureConstants, rootByName],
    tsconfig: 'tsconfig.lib.json',
    // Rolled up from the declarations that the compiler wrote: no second type check, which took three quarters of a build. tsup sets
    // `baseUrl`, which TypeScript 6 deprecates.
    dts: !forPrograms && {
      entry: Object.fromEntries(entries.map((entry) => [fileOf(entry), `out-tsc/lib/${fileOf(entry)}.d.ts`])),
      compilerOptions: { ignoreDeprecations: '6.0', composite: false, incremental: false, customConditions: [] },
    },
  };
}

/** Without its ending, below `src` as below `dist`. */
function fileOf(entry: string): string {
  return entry === 'index' ? entry : `${entry}/index`;
}

/** A command: ESM alone, its `#!` line kept, with the notices of what is in its files. */
export const application: Options = {
  ...shared,
  entry: ['src/cli.ts'],
  format: ['esm'],
  esbuildPlugins: [thirdPartyNotices],
};

/** Tests of whole agents build a plugin whose condenser fails in this way. */
const fault = process.env['PALIMPSEST_PLUGIN_FAULT'];

/** Puts the faulty condenser of the plugins' kit in the place of the real one. */
const faultyCondenser: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'faulty-condenser',
  setup: (build) => {
    build.initialOptions.define = { ...build.initialOptions.define, PALIMPSEST_PLUGIN_FAULT: JSON.stringify(fault) };
    build.onResolve({ filter: /^\.\/condenser\.js$/ }, ({ importer }) => {
      const file = path.resolve(path.dirname(importer), '../test-support/faulty-condenser.ts');
      return importer.endsWith('host-sessions.ts') ? { path: file } : undefined;
    });
  },
};

/** What an agent loads: one file of ESM that needs nothing installed, with the notices of what is in it. */
export const plugin: Options = {
  ...shared,
  format: ['esm'],
  skipNodeModulesBundle: false,
  noExternal: [/./],
  splitting: false,
  minifyWhitespace: true,
  minifySyntax: true,
  esbuildPlugins: [thirdPartyNotices, ...(fault === undefined ? [] : [faultyCondenser])],
};
