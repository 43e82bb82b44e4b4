import path from 'node:path';
import { build } from 'tsup';

/** Bundles a program of the package, so that a process that runs it does not compile every package anew, and gives its path. */
export async function bundledProgram(name: string, folder: 'src' | 'test-support' = 'test-support'): Promise<string> {
  // Inside of the package, so that it finds what is installed for it.
  const directory = path.join(import.meta.dirname, '../out-tsc/programs');
  await build({
    entry: { [name]: path.join(import.meta.dirname, '..', folder, `${name}.ts`) },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/^@palimpsest\//],
    external: ['@dbos-inc/dbos-sdk', 'commander', 'openai', 'pg'],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    config: false,
    silent: true,
  });
  return path.join(directory, `${name}.mjs`);
}
