import { LimitExceededError } from '@palimpsest/agent';
import { LLMError, priceTable } from '@palimpsest/llm-adapters';
import { serverKeyVariable } from '@palimpsest/llm-adapters/by-name';

/** The facts about a run that failed. */
export interface FailedRun {
  /** The address of the model's server, if the settings name one. */
  readonly baseUrl: string | undefined;
  /** Unit: USD. Undefined if the cost of a call is not known. */
  readonly costUsd: number | undefined;
  /** The model's name, if it is none that is known. */
  readonly unknownModel?: string | undefined;
}

/**
 * Returns a failure in the words of this command: with its flags in place of a package's options, and with what to do about a server.
 *
 * @param message - the failure as the log has it: without secrets
 */
export function failurePhrase(message: string, cause: unknown, { baseUrl, costUsd, unknownModel }: FailedRun): string {
  if (LimitExceededError.isInstance(cause)) return limitPhrase(cause, costUsd) ?? message;
  if (!LLMError.isInstance(cause)) return message;
  if (cause.isRetryable && cause.retryAfterMs !== undefined && cause.retryAfterMs > 0) {
    return `${message.replace(/\.?$/, '.')} The server asks to wait for ${waitPhrase(cause.retryAfterMs)}.`;
  }
  if (baseUrl === undefined) return [message, ...nearbyHint(cause, unknownModel)].join(' ');
  if (cause.statusCode === 401) {
    return `${message.replace(/\.?$/, '.')} The key for a server of --base-url is read from ${serverKeyVariable}; a provider's own key is sent to the provider alone.`;
  }
  // A server that knows the path, and not the model, says so.
  if (cause.statusCode !== 404 || /model/i.test(message)) return message;
  return `${message} below ${baseUrl}. Is this the address of the API? It often ends in /v1. A server that speaks Anthropic's API is asked by --model anthropic:NAME.`;
}

/** Returns the models that may be meant by a name that a provider refuses. */
function nearbyHint({ statusCode }: LLMError, model: string | undefined): readonly string[] {
  if (model === undefined || (statusCode !== 400 && statusCode !== 404)) return [];
  const names = namesNear(model);
  return names.length === 0
    ? []
    : [`'${model}' is not a model that is known here. Known with such a name: ${names.join(', ')}.`];
}

/** Fewer letters in common say nothing. */
const fewestInCommon = 5;
const mostNames = 6;

/** The known models whose names have the longest beginning in common with this one. */
function namesNear(model: string): readonly string[] {
  const names = [...new Set(priceTable.flatMap(({ models }) => models))];
  const inCommon = (name: string): number => {
    let same = 0;
    while (same < model.length && name[same] === model[same]) same++;
    return same;
  };
  const longest = Math.max(...names.map(inCommon));
  return longest < fewestInCommon ? [] : names.filter((name) => inCommon(name) === longest).slice(0, mostNames);
}

function waitPhrase(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds < 120) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

function limitPhrase({ limit, value }: LimitExceededError, costUsd: number | undefined): string | undefined {
  if (limit === 'iterations') {
    return `The limit of ${value} model ${value === 1 ? 'call' : 'calls'} was reached (--max-steps, or maxSteps in the configuration).`;
  }
  if (limit !== 'cost-usd') return undefined;
  return costUsd === undefined
    ? `The cost of a model call is not known, so a limit of $${value} (--max-cost) cannot be kept. --max-steps limits the model calls instead.`
    : `The limit of $${value} was reached (--max-cost, or maxCost in the configuration).`;
}

/** Returns why a run has written nothing, by the names of the tools whose calls were denied. */
export function deniedPhrase(tools: readonly string[]): string {
  return `Each call of ${tools.join(', ')} was denied. Allow what is needed ([permissions] allow in the configuration), answer it (--on-ask wait), or allow everything (--yolo).`;
}

const patterns: Readonly<Record<string, string>> = {
  'repeated-action': 'the model makes the same call again and again, and gets the same result',
  'repeated-error': 'the model makes a call again and again that fails',
  'alternating-actions': 'the model makes the same two calls in turns, and gets the same results',
  monologue: 'the model talks without calling a tool or giving an answer',
  'context-window-loop': 'the history does not fit into the window of the model, however often it is condensed',
};

/** Returns the phrase for an answer that was cut again and again, by the reason of the last cut. */
export function incompletePhrase(finishReason: string | undefined): string {
  if (finishReason === 'interrupted')
    return 'The server broke the answer off, each time that the model went on with it.';
  if (finishReason === 'paused') return 'The provider paused the answer, each time that the model went on with it.';
  return 'The answer reached its limit, each time that the model went on with it. --max-output-tokens (maxOutputTokens in the configuration) sets the limit.';
}

/** Returns the phrase for a run that got stuck, by the name of its pattern. */
export function stuckPhrase(pattern: string | undefined): string {
  return `The run got nowhere: ${patterns[pattern ?? ''] ?? 'it repeats itself'}.`;
}
