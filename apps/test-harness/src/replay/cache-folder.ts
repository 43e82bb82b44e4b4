import { join } from 'node:path';
import envPaths from 'env-paths';

/** Where results are stored unless somebody says otherwise: below the user's folder for caches. */
export function defaultCacheFolder(): string {
  return join(envPaths('palimpsest-harness', { suffix: '' }).cache, 'replay');
}
