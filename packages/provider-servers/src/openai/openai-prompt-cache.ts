import type { CacheMarking } from '../cache-marking.js';
import type { CachedPrompt, SimulatedPromptCache } from '../cached-prompt.js';
import { breakpointCache } from './breakpoint-cache.js';
import { promptCache } from './prompt-cache.js';
import { lookUp } from './usage.js';
import { objectIn } from '../wire-json.js';

/** Options of {@link openaiPromptCache}. */
export interface OpenAIPromptCacheOptions {
  /** The clock. @defaultValue the system clock */
  readonly now?: () => Date;
  /** Applies to models with breakpoints. @defaultValue `as-sent` */
  readonly marks?: CacheMarking;
}

/** The prompt cache of {@link openaiServer} without the server, for bodies of both of OpenAI's APIs. */
export function openaiPromptCache(options: OpenAIPromptCacheOptions = {}): SimulatedPromptCache {
  const now = options.now ?? (() => new Date());
  const caches = { automatic: promptCache(now), breakpoints: breakpointCache(now, options.marks) };
  return {
    use: (body): CachedPrompt => {
      const { inputTokens, cachedTokens, writtenTokens } = lookUp(caches, objectIn(body) ?? {});
      return { read: cachedTokens, written: writtenTokens, uncached: inputTokens - cachedTokens - writtenTokens };
    },
  };
}
