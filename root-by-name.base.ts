import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * A subpath that imports its package's root entry imports it by the package's name. Were both built into one file, the root
 * would keep an object of all that it exports, and no bundler could leave any of it out.
 */
export const rootByName: Plugin = {
  name: 'root-by-name',
  setup(build) {
    build.onResolve({ filter: /\/index\.js$/ }, async ({ path: imported, resolveDir, kind }) => {
      if (kind !== 'import-statement' || path.resolve(resolveDir, imported) !== path.resolve('src/index.js')) return;
      const { name } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly name: string };
      return { path: name, external: true };
    });
  },
};
