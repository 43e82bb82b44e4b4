import { nearName } from '@palimpsest/events';
import { InvalidHistoryOptionsError } from './errors.js';
import type { CondensedHistoryOptions, FitOptions } from './fit.js';
import type { ModelOptions } from './model.js';
import type { RelevanceOptions } from './own-tools.js';

// The names of all options: the compiler refuses a list that lacks one.
type Names<Options> = Readonly<Record<keyof Options, true>>;

const modelNames: Names<ModelOptions> = {
  model: true,
  thinking: true,
  bindsThinking: true,
  contextWindow: true,
  maxOutputTokens: true,
  prices: true,
  cacheLifeMs: true,
  estimateTokens: true,
};
const historyNames: Names<CondensedHistoryOptions<unknown>> = {
  condenser: true,
  codec: true,
  store: true,
  condenserTimeoutMs: true,
  maxMemoryBytes: true,
  unknownThinking: true,
  relevance: true,
  repair: true,
  now: true,
  ...modelNames,
};
const relevanceNames: Names<RelevanceOptions> = { guardrails: true, marker: true, apply: true };
const fitNames: Names<FitOptions> = {
  conversationId: true,
  model: true,
  system: true,
  tools: true,
  tail: true,
  condense: true,
  signal: true,
};

/** @throws {@link InvalidHistoryOptionsError} for an option that does not exist, and for a condenser or a codec that is none */
export function assertHistoryOptions<Message, HostTool extends object>(
  options: CondensedHistoryOptions<Message, HostTool>,
): void {
  assertKnown('condensedHistory', options, historyNames);
  assertKnown('relevance', options.relevance, relevanceNames);
  // Without types nothing else tells of it: a list is sent as it is when its condenser fails.
  const { condenser, codec } = options;
  if (typeof condenser?.condense !== 'function') throw noneOf('condenser', condenser);
  if (typeof codec?.read !== 'function') throw noneOf('codec', codec);
}

/** @throws {@link InvalidHistoryOptionsError} for an option that does not exist */
export function assertFitOptions(options: FitOptions): void {
  assertKnown('fit', options, fitNames);
  assertKnown('model', options.model, modelNames);
}

function assertKnown(place: string, options: unknown, names: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null) return;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const known = Object.keys(names);
    const near = nearName(name, known);
    const meant = near === undefined ? '' : ` Did you mean '${near}'?`;
    throw new InvalidHistoryOptionsError(
      name,
      `'${name}' is not an option of ${place}.${meant} There are: ${known.join(', ')}.`,
    );
  }
}

function noneOf(option: 'condenser' | 'codec', value: unknown): InvalidHistoryOptionsError {
  const wanted =
    option === 'condenser' ? 'a condenser, as pricedCondenser() returns it' : 'a codec, as chatMessages() returns it';
  const hint = typeof value === 'function' ? ' It is a function: call it.' : '';
  return new InvalidHistoryOptionsError(
    option,
    `${option} has to be ${wanted}, not a value of type ${typeof value}.${hint}`,
  );
}
