import { promptCache } from './prompt-cache.js';
import { promptPieces } from './prompt-pieces.js';
import type { CacheMarking } from '../cache-marking.js';
import type { CachedPrompt, SimulatedPromptCache } from '../cached-prompt.js';
import { objectIn } from '../wire-json.js';

/** Options of {@link anthropicPromptCache}. */
export interface AnthropicPromptCacheOptions {
  /** The clock. @defaultValue the system clock */
  readonly now?: () => Date;
  /** @defaultValue `as-sent` */
  readonly marks?: CacheMarking;
}

/**
 * The prompt cache of {@link anthropicServer} without the server: computes what each body reads and writes, given the earlier
 * bodies. With `marks: 'everywhere'` the same bodies have their lowest possible cost. The difference is what better marks
 * could save.
 */
export async function anthropicPromptCache(options: AnthropicPromptCacheOptions = {}): Promise<SimulatedPromptCache> {
  const cache = promptCache(options.now ?? (() => new Date()), options.marks);
  return {
    use: (body): CachedPrompt => {
      const json = objectIn(body) ?? {};
      const { read, written, uncached, commit } = cache.use(json, promptPieces(json), 'one key');
      commit();
      return { read, written: written['5m'] + written['1h'], uncached };
    },
  };
}
