import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Loads a module where the built program has a dynamic `import()` (see tsup.config.ts): the same module, and no second
 * copy of it. Where `require` takes ES modules, all that the module imports is read at once; `import()` hands each file
 * to another thread and back, which takes more CPU time than reading it.
 */
export async function loadModule(specifier: string): Promise<unknown> {
  if (!process.features.require_module) return import(specifier);
  try {
    return require(fileURLToPath(import.meta.resolve(specifier)));
  } catch (error) {
    // A module that awaits something while it is loaded.
    if ((error as { readonly code?: unknown }).code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
    return import(specifier);
  }
}
