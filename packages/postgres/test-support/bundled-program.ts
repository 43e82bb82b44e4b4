import path from 'node:path';
import { build } from 'tsup';

/** Bundles a program of this folder, so that a process that runs it does not compile every package anew, and gives its path. */
export async function bundledProgram(name: string): Promise<string> {
  // Inside of the package, so that it finds what is installed for it.
  const directory = path.join(import.meta.dirname, '../out-tsc/programs');
  await build({
    entry: { [name]: path.join(import.meta.dirname, `${name}.ts`) },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/^@palimpsest\//],
    external: ['openai', 'pg'],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    config: false,
    silent: true,
  });
  return path.join(directory, `${name}.mjs`);
}
