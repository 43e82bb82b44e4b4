import module from 'node:module';
import { cacheFolder } from '../settings/user-folders.js';

/**
 * Keeps what the engine compiles for the next start, where Node can (22.1 and later). Only the user can write the folder: code
 * from it runs.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(cacheFolder(env));
}
