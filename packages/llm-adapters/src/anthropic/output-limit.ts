import type { CompletionRequest } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { estimateCounter } from '../tokens/estimate.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import type { MessagesOptions } from './request-plan.js';

/** The longest answer of a request. */
export interface OutputLimit {
  /** Unit: tokens. */
  readonly maxTokens: number;
  /** The thinking budget of `thinking: 'on'`. It does not depend on the history, because a change of it voids the cache. Unit: tokens. */
  readonly budgetTokens: number;
}

/** The limit for a model whose own is not known. Unit: tokens. */
const cautiousTokens = 16_000;

/** Estimates of the input can be too low by so much. Unit: times the estimate. */
const margin = 9 / 8;

/**
 * The least that an estimated input leaves for the answer: what condensers reserve for it. An estimate can be too high, and a model
 * that stops at its window may be asked for more than is left.
 */
const reserved = { tokens: 4_096, windowShare: 1 / 8 } as const;

/** What the request or the options say, within the model's maximum; otherwise that maximum, lowered to what the window leaves. */
export function outputLimit(request: CompletionRequest, options: MessagesOptions, facts: ModelFacts): OutputLimit {
  // The cap of an unknown model is a guess: the provider decides what is too much.
  const cap = facts.isAssumed ? undefined : facts.maxOutputTokens;
  const wanted = request.maxOutputTokens ?? options.maxOutputTokens;
  const set = wanted === undefined ? undefined : Math.min(wanted, cap ?? wanted);
  const budgetTokens = Math.floor((set ?? cautiousTokens) / 2);
  if (set !== undefined) return { maxTokens: set, budgetTokens };
  const most = cap ?? cautiousTokens;
  const window = options.contextWindow ?? facts.contextWindow;
  if (window === undefined) return { maxTokens: most, budgetTokens };
  const left = Math.floor(window - counterFor(facts).count(request) * margin);
  const least = Math.floor(Math.min(reserved.tokens, window * reserved.windowShare));
  return { maxTokens: Math.max(1, Math.min(most, Math.max(left, least))), budgetTokens };
}

/** A counter remembers what frozen messages count, so each model's tokenizer has one for all requests. */
const counters = new Map<number, TokenCounter>();

function counterFor(facts: ModelFacts): TokenCounter {
  const known = counters.get(facts.charsPerToken);
  if (known !== undefined) return known;
  const made = estimateCounter(facts);
  counters.set(facts.charsPerToken, made);
  return made;
}
