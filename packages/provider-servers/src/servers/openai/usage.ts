import type { CacheMarking, CachedPrompt, SimulatedPromptCache } from '../cached-prompt.js';
import { breakpointCache, promptCache } from './cache.js';
import { objectIn, listIn, textIn } from '../../rules/wire/wire-json.js';
import type { BreakpointCache, BreakpointLookup, CacheUse, PromptCache } from './cache.js';
import { openaiModel } from '../../rules/wire/openai-models.js';
import { tokensOf } from '../http.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** Options of {@link openaiPromptCache}. */
export interface OpenAIPromptCacheOptions {
  /** The clock. @defaultValue the system clock */
  readonly now?: () => Date;
  /** Applies to models with breakpoints. @defaultValue `as-sent` */
  readonly marks?: CacheMarking;
}

/** Returns the prompt cache of {@link openaiServer} without the server, for bodies of both of OpenAI's APIs. */
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

/**
 * Returns the whole input of the model, in cache order: tools first. Cache marks are excluded, and tools with `defer_loading`.
 * Text is rendered equally as a string and as a part.
 */
function renderedInput(body: JsonObject): string {
  return withEnds(body).replaceAll(partEnd, '');
}

/** Marks the end of each part that can have a breakpoint. Noncharacters, because no text of a request should contain them. */
const [plain, marked] = ['\uFDD0', '\uFDD1'];
const partEnd = /,"[\uFDD0\uFDD1]"/g;

/** Returns the rendered input, including marks for the ends of parts. */
function withEnds({ tools, instructions, messages, input }: JsonObject): string {
  const loaded = listIn(tools).filter((tool) => objectIn(tool)?.defer_loading !== true);
  const read = [loaded, ...(instructions === undefined ? [] : [instructions]), messages ?? input ?? []];
  return JSON.stringify(read, (key, value: unknown) => {
    if (key !== 'content' && key !== 'output') return value;
    const parts = typeof value === 'string' && value !== '' ? [{ text: value }] : value;
    return Array.isArray(parts) ? parts.flatMap(partWithEnd) : value;
  });
}

function partWithEnd(part: unknown): readonly unknown[] {
  const object = objectIn(part);
  if (object === undefined) return [part];
  const { prompt_cache_breakpoint: mark, ...rest } = object;
  return [textIn(object.text) ?? rest, mark === undefined || mark === null ? plain : marked];
}

/** Returns the ends of parts, as positions in the rendered input. */
function endsOf(inputWithEnds: string): BreakpointLookup['ends'] {
  let removed = 0;
  return [...inputWithEnds.matchAll(partEnd)].map(({ index, 0: end }) => {
    const at = index - removed;
    removed += end.length;
    return { at, isMarked: end.includes(marked) };
  });
}

/** Returns the size of a request. Unit: tokens, at four characters of JSON each. */
export function inputTokensOf(body: JsonObject): number {
  return Math.ceil(renderedInput(body).length / 4);
}

const minuteMs = 60_000;

/** The caches of one server. */
export interface PromptCaches {
  /** Of the models before gpt-5.6. */
  readonly automatic: PromptCache;
  readonly breakpoints: BreakpointCache;
}

/**
 * Looks up a request in the cache. Models before gpt-5.6 read in steps of 128 tokens and keep prefixes for 10 minutes, or for
 * `prompt_cache_retention`. Later models read up to a breakpoint and keep prefixes for `prompt_cache_options.ttl`, 30 minutes
 * by default.
 *
 * @see provider-rules B.8
 */
export function lookUp({ automatic, breakpoints }: PromptCaches, body: JsonObject): CacheUse {
  const model = textIn(body.model) ?? '';
  const key = textIn(body.prompt_cache_key) ?? '';
  const inputWithEnds = withEnds(body);
  const rendered = inputWithEnds.replaceAll(partEnd, '');
  if (!openaiModel(model).reportsCacheWrites) {
    const lifeMs = body.prompt_cache_retention === '24h' ? 24 * 60 * minuteMs : 10 * minuteMs;
    return automatic.use({ model, key, rendered, roundedTo: 128, lifeMs });
  }
  const options = objectIn(body.prompt_cache_options);
  return breakpoints.use({
    model,
    key,
    rendered,
    ends: endsOf(inputWithEnds),
    isExplicitOnly: options?.mode === 'explicit',
    lifeMs: options?.ttl === '12h' ? 12 * 60 * minuteMs : 30 * minuteMs,
  });
}

/** Returns the `usage` of Chat Completions. Prompt tokens include cached tokens. @see provider-rules B.8 */
export function chatUsage(body: JsonObject, use: CacheUse, message: JsonObject): JsonObject {
  const completion_tokens = tokensOf(message);
  return {
    prompt_tokens: use.inputTokens,
    completion_tokens,
    total_tokens: use.inputTokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: use.cachedTokens, ...writes(body, use), audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: message.reasoning_content === undefined ? 0 : tokensOf(message.reasoning_content),
    },
  };
}

/** Returns the `usage` of Responses. Input tokens include cached tokens. @see provider-rules C.3 */
export function responsesUsage(body: JsonObject, use: CacheUse, output: readonly JsonObject[]): JsonObject {
  const reasoning_tokens = output
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ summary, content }) => [...listIn(summary), ...listIn(content)])
    .reduce<number>((sum, part) => sum + tokensOf(part), 0);
  const output_tokens = Math.max(tokensOf(output), reasoning_tokens);
  return {
    input_tokens: use.inputTokens,
    input_tokens_details: { cached_tokens: use.cachedTokens, cache_write_tokens: 0, ...writes(body, use) },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: use.inputTokens + output_tokens,
  };
}

function writes({ model }: JsonObject, { writtenTokens }: CacheUse): JsonObject {
  return openaiModel(textIn(model) ?? '').reportsCacheWrites ? { cache_write_tokens: writtenTokens } : {};
}
