import type { LLMConvertibleEvent } from '@palimpsest/events';
import { modelFacts, pricesAt } from '@palimpsest/llm-adapters';
import type { ModelProvider } from '@palimpsest/llm-adapters';
import type { CachePrices, EstimateTokens, ThinkingMode } from '@palimpsest/view';
import { estimateMediaTokens, estimateTokens } from '@palimpsest/view';

/** The facts of the model that reads the messages. What is not given follows from the model's name. */
export interface ModelOptions {
  /** The model's name, as its provider writes it. Routers' prefixes are understood. @defaultValue nothing is known of the model */
  readonly model?: string | undefined;
  /**
   * The form in which the model wants its thinking back. @defaultValue by the model's name; `none` is sent as the host
   * holds it
   */
  readonly thinking?: ThinkingMode | undefined;
  /**
   * True if the model refuses thinking after an edit of what came before it. @defaultValue true for Claude models of
   * which `thinking` is `prefix-bound`
   */
  readonly bindsThinking?: boolean | undefined;
  /** Unit: tokens. @defaultValue by the model's name, else unknown */
  readonly contextWindow?: number | undefined;
  /** The largest answer. Unit: tokens. @defaultValue unknown */
  readonly maxOutputTokens?: number | undefined;
  /**
   * The prices of the model, as shares of the price of an input token. @defaultValue by the model's name, else unknown
   */
  readonly prices?: CachePrices | undefined;
  /**
   * The time for which the provider keeps an unused prefix. Unit: milliseconds. @defaultValue by the model's name, else
   * unknown
   */
  readonly cacheLifeMs?: number | undefined;
  /** Size of an event. Unit: tokens. @defaultValue an estimate by the model's characters per token */
  readonly estimateTokens?: EstimateTokens | undefined;
}

/** {@link ModelOptions} with what the model's name says. */
export interface Model {
  readonly name: string;
  readonly thinking: ThinkingMode;
  readonly bindsThinking: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly prices: CachePrices | undefined;
  readonly cacheLifeMs: number | undefined;
  readonly estimateTokens: EstimateTokens;
  /** The pages of PDFs that the provider reads of a request. */
  readonly maxPages: number;
}

/**
 * Returns the options of the model that a fit is for: a name takes the place of the history's, an object that of all
 * its options of the model.
 */
export function modelOptionsOf(history: ModelOptions, model: string | ModelOptions | undefined): ModelOptions {
  if (model === undefined) return history;
  return typeof model === 'string' ? { ...history, model } : model;
}

export function modelOf(options: ModelOptions, now: Date): Model {
  const { model } = options;
  const name = model ?? 'unknown';
  const facts = model === undefined ? undefined : modelFacts(model, providerOf(model));
  const prices = model === undefined ? undefined : pricesAt(model, now);
  const perToken = facts === undefined ? undefined : facts.charsPerToken / estimatedCharsPerToken;
  const contextWindow = options.contextWindow ?? facts?.maxInputTokens ?? facts?.contextWindow;
  const thinking = options.thinking ?? facts?.thinking ?? 'prefix-bound';
  return {
    name,
    thinking,
    bindsThinking: options.bindsThinking ?? (facts?.provider === 'anthropic' && thinking === 'prefix-bound'),
    contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    prices:
      options.prices ??
      (prices === undefined || !(prices.input > 0)
        ? undefined
        : {
            read: prices.cacheRead / prices.input,
            write: prices.cacheWrite / prices.input,
            output: prices.output / prices.input,
          }),
    cacheLifeMs: options.cacheLifeMs ?? facts?.cacheLifeMs,
    estimateTokens:
      options.estimateTokens ??
      (perToken === undefined || perToken === 1 ? estimateTokens : (event) => scaledTokens(event, perToken)),
    maxPages:
      contextWindow !== undefined && contextWindow <= pageLimits.smallWindow ? pageLimits.small : pageLimits.large,
  };
}

/** @see https://platform.claude.com/docs/en/build-with-claude/pdf-support */
const pageLimits = { small: 100, large: 600, smallWindow: 200_000 };

function scaledTokens(event: LLMConvertibleEvent, perToken: number): number {
  const media = estimateMediaTokens(event);
  return Math.ceil((estimateTokens(event) - media) / perToken) + media;
}

/** The figure that `estimateTokens` of the view assumes. */
const estimatedCharsPerToken = 4;

function providerOf(model: string): ModelProvider {
  if (/(?:^|[/.:])claude/i.test(model)) return 'anthropic';
  return /^(?:ft:)?(?:gpt|o\d|chatgpt|codex)/i.test(model) ? 'openai' : 'compatible';
}
