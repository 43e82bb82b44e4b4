import { nearName } from '@palimpsest/events';
import { isRecord } from '@palimpsest/llm-adapters/wire';
import { InvalidHistoryOptionsError } from './errors.js';
import type { CondensedHistoryOptions, FitOptions } from './fit.js';
import type { ModelOptions } from './model.js';

/** The names of all options: the compiler refuses a list that lacks one. */
export type Names<Options> = Readonly<Record<keyof Options, true>>;

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
  historyTools: true,
  repair: true,
  now: true,
  ...modelNames,
};
const fitNames: Names<FitOptions> = {
  conversationId: true,
  model: true,
  system: true,
  tools: true,
  fixedTokens: true,
  tail: true,
  condense: true,
  focus: true,
  signal: true,
};

/** @throws {@link InvalidHistoryOptionsError} for an option that does not exist, a size that is none, and for a condenser, a codec or tools that are none */
export function assertHistoryOptions<Message, HostTool extends object>(
  options: CondensedHistoryOptions<Message, HostTool>,
): void {
  assertKnown('condensedHistory', options, historyNames);
  // Without types nothing else tells of it: a list is sent as it is when its condenser fails.
  const { condenser, codec, historyTools } = options;
  if (typeof condenser?.condense !== 'function') throw noneOf('condenser', condenser);
  assertSizes(options);
  if (typeof codec?.read !== 'function') throw noneOf('codec', codec);
  if (historyTools !== undefined && typeof historyTools !== 'function') throw noneOf('historyTools', historyTools);
}

/** @throws {@link InvalidHistoryOptionsError} for an option that does not exist */
export function assertFitOptions(options: FitOptions): void {
  assertKnown('fit', options, fitNames);
  assertKnown('model', options.model, modelNames);
  if (typeof options.model === 'object') assertSizes(options.model);
}

/** A size that is none would be compared with all the same, and nothing would ever be condensed. */
function assertSizes(options: ModelOptions): void {
  for (const name of ['contextWindow', 'maxOutputTokens'] as const) {
    const size: unknown = options[name];
    if (size === undefined || (typeof size === 'number' && size > 0)) continue;
    const given =
      typeof size === 'string' ? `'${size}'` : typeof size === 'number' ? size : `a value of type ${typeof size}`;
    throw new InvalidHistoryOptionsError(name, `${name} has to be a number of tokens above 0, not ${given}.`);
  }
}

/** @throws {@link InvalidHistoryOptionsError} for an option that does not exist */
export function assertKnown(place: string, options: unknown, names: Readonly<Record<string, true>>): void {
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

const wanted = {
  condenser: 'a condenser, as pricedCondenser() returns it',
  codec: 'a codec, as chatMessages() returns it',
  historyTools: 'what historyTools() of @palimpsest/messages/tools returns',
};

function noneOf(option: keyof typeof wanted, value: unknown): InvalidHistoryOptionsError {
  const hint =
    typeof value === 'function'
      ? ' It is a function: call it.'
      : isRecord(value) && typeof value['create'] === 'function'
        ? ' It is a definition: pass what its create() returns.'
        : '';
  return new InvalidHistoryOptionsError(
    option,
    `${option} has to be ${wanted[option]}, not a value of type ${typeof value}.${hint}`,
  );
}
