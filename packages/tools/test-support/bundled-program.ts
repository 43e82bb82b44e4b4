import path from 'node:path';
import { build } from 'tsup';

/** Bundles a program of this folder into a directory, and resolves to the file. */
export async function bundledProgram(name: string, directory: string): Promise<string> {
  await build({
    entry: { [name]: path.join(import.meta.dirname, `${name}.ts`) },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    config: false,
    silent: true,
  });
  return path.join(directory, `${name}.mjs`);
}
