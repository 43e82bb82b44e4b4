import path from 'node:path';
import { build } from 'esbuild';

/** Builds a program. Node, Bun and Deno find our packages themselves; a page and a worker get all in one file. */
export async function program(name: string, target: 'node' | 'browser' | 'worker', project: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    // The packages that are installed in the project, not those of the workspace.
    plugins: [
      {
        name: 'installed',
        setup: ({ onResolve, resolve }) => {
          onResolve(
            { filter: /^(@palimpsest\/|openai$|@anthropic-ai\/sdk$|zod)/ },
            async ({ path: wanted, pluginData, kind }) => {
              if (target === 'node') return { path: wanted, external: true };
              if (pluginData === 'installed') return undefined;
              return resolve(wanted, { resolveDir: project, kind, pluginData: 'installed' });
            },
          );
        },
      },
    ],
    // The suites assert by it. A worker has it; a page gets it from npm.
    ...(target === 'browser'
      ? {
          alias: { 'node:assert/strict': path.join(import.meta.dirname, 'page-assert.ts') },
          define: { global: 'globalThis', process: '{"env":{}}' },
        }
      : { external: ['node:*'] }),
    ...(target === 'worker' ? { conditions: ['workerd', 'worker', 'browser'] } : {}),
    platform: target === 'node' ? 'node' : 'browser',
  });
  return outputFiles[0]?.text ?? '';
}
