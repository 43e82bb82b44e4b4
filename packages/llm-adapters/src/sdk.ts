import { MissingSdkError } from './errors.js';

/**
 * Loads a provider's package, an optional peer, at the first call. If the load fails, the next call tries again.
 *
 * @throws {@link MissingSdkError} when it cannot be loaded; the original error is `cause`.
 */
export function lazySdk<Sdk>(options: {
  readonly provider: string;
  readonly packageName: string;
  readonly load: () => Promise<Sdk>;
}): () => Promise<Sdk> {
  let loaded: Promise<Sdk> | undefined;
  return () => {
    loaded ??= options.load().catch((cause: unknown) => {
      loaded = undefined;
      throw new MissingSdkError(options.packageName, { provider: options.provider, cause });
    });
    return loaded;
  };
}
