import { MissingSdkError } from './errors.js';

/** Imports a package by its name. */
export type ImportModule = (name: string) => Promise<unknown>;

/**
 * Loads a provider's package, an optional peer, at the first call. If the load fails, the next call tries again. With
 * `importModule`, that takes the place of `load`, and remembers what it has loaded.
 *
 * @throws {@link MissingSdkError} when it cannot be loaded; the original error is `cause`.
 */
export function lazySdk<Module>(options: {
  readonly provider: string;
  readonly packageName: string;
  readonly load: () => Promise<Module>;
}): (importModule?: ImportModule) => Promise<Module> {
  const { provider, packageName } = options;
  let loaded: Promise<Module> | undefined;
  const missing = (cause: unknown): never => {
    throw new MissingSdkError(packageName, { provider, cause });
  };
  return (importModule) => {
    if (importModule !== undefined) return importModule(packageName).catch(missing) as Promise<Module>;
    loaded ??= options.load().catch((cause: unknown) => {
      loaded = undefined;
      return missing(cause);
    });
    return loaded;
  };
}
