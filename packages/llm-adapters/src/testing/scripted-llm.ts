import type { AssistantMessage, ToolCall, Usage } from '@palimpsest/events';
import { deltasFromMessage } from '../llm.js';
import type { Completion, CompletionRequest, Delta, FinishReason, LLM } from '../llm.js';
import { ContextWindowExceededError, LLMError } from '../errors.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { estimateInputTokens, estimateUsage } from '../usage.js';

/** A tool call of a script. */
export interface ScriptedToolCall {
  readonly name: string;
  /** The input, or the JSON text of one, which need not parse. @defaultValue `{}` */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** @defaultValue made from the numbers of the answer and of the call in it */
  readonly id?: string;
}

/** An answer: text, calls, both, or an error that the call ends in. */
export type ScriptedAnswer =
  | string
  | {
      readonly text?: string;
      readonly toolCalls?: readonly ScriptedToolCall[];
      readonly thinkingBlocks?: AssistantMessage['thinkingBlocks'];
      readonly reasoningItems?: AssistantMessage['reasoningItems'];
      readonly reasoningContent?: AssistantMessage['reasoningContent'];
      /** The deltas of the answer. @defaultValue the message, one piece for each of its parts */
      readonly deltas?: readonly Delta[];
      /** The answer is complete when it resolves; its deltas come before. An abort ends the wait. @defaultValue at once */
      readonly until?: Promise<unknown>;
      /** The error in which the call ends after its deltas. @defaultValue none: the call ends with the answer */
      readonly endsIn?: Error;
      /** @defaultValue `tool-calls` if the answer has calls, else `stop` */
      readonly finishReason?: FinishReason;
      /** The state of each call. @defaultValue `as-written` for each: the text of its arguments says whether it is whole */
      readonly callStates?: Completion['callStates'];
      /** @defaultValue {@link estimateUsage} */
      readonly usage?: Usage;
      /** Behaves like a provider that reports no usage; the completion then has no cost. @defaultValue false */
      readonly usageIsEstimated?: boolean;
    }
  | Error;

/** The answers in order, or a function that gives the answer to a request. `index` counts the answers from 0. */
export type Script =
  readonly ScriptedAnswer[] | ((request: CompletionRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Options of {@link scriptedLLM}. */
export interface ScriptedLLMOptions {
  readonly script: Script;
  /** @defaultValue `scripted` */
  readonly model?: string;
  /**
   * The window. A request whose estimate exceeds it is refused, and the script keeps its answer. Unit: tokens.
   * @defaultValue none
   */
  readonly contextWindow?: number;
  /** @defaultValue none, and completions carry no cost */
  readonly prices?: TokenPrices;
  /** The prefix of ids. Two scripts that write to the same log need different prefixes. @defaultValue `scripted` */
  readonly idPrefix?: string;
}

/** A {@link scriptedLLM} that records its requests. */
export interface ScriptedLLM extends LLM {
  /** Every request so far, refused ones too. */
  readonly requests: readonly CompletionRequest[];
}

/** The script has no answer left. */
export class ScriptEndedError extends LLMError {
  static override get typeName(): string {
    return 'ScriptEndedError';
  }

  constructor(answers: number) {
    super('script-ended', `The script has ${answers} answers, and one more was asked for.`, {
      provider: 'scripted',
      isRetryable: false,
    });
  }
}

/**
 * Returns a model that answers from a script: no key, no network, the same answers every time. Usage is {@link
 * estimateUsage}: four characters a token, nothing cached.
 *
 * @example
 * ```ts
 * const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'run', arguments: { command: 'ls' } }] }, 'Two files.'] });
 * ```
 */
export function scriptedLLM(options: ScriptedLLMOptions): ScriptedLLM {
  const { script, model = 'scripted', contextWindow, prices, idPrefix = 'scripted' } = options;
  const requests: CompletionRequest[] = [];
  let given = 0;
  return {
    model,
    contextWindow,
    prices,
    requests,
    complete: async (request) => {
      request.signal?.throwIfAborted();
      requests.push(request);
      assertFits(request, contextWindow);
      const index = given++;
      const answer =
        typeof script === 'function' ? await unlessAborted(script(request, index), request.signal) : script[index];
      request.signal?.throwIfAborted();
      if (answer === undefined) throw new ScriptEndedError(index);
      if (answer instanceof Error) throw answer;
      const parts = typeof answer === 'string' ? { text: answer } : answer;
      const completion = completionOf(parts, request, { model, id: `${idPrefix}-${index + 1}`, prices });
      for (const delta of parts.deltas ?? deltasFromMessage(completion.message)) {
        request.onDelta?.(delta);
        // The listener can have aborted the call.
        request.signal?.throwIfAborted();
      }
      await unlessAborted(parts.until, request.signal);
      if (parts.endsIn !== undefined) throw parts.endsIn;
      return completion;
    },
  };
}

/** Returns the result of a wait. Rejects with the signal's reason as soon as the signal aborts. */
async function unlessAborted<Value>(waited: Value | Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined || !(waited instanceof Promise)) return waited;
  // The script itself can abort the signal; then no further `abort` event comes.
  if (signal.aborted) {
    // The result of the wait is no longer needed.
    waited.catch(() => undefined);
    throw signal.reason;
  }
  const end = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: end.signal });
  });
  try {
    const first = await Promise.race([waited.then((value) => ({ value })), aborted]);
    if (first === undefined) throw signal.reason;
    return first.value;
  } finally {
    end.abort();
  }
}

function assertFits(request: CompletionRequest, contextWindow: number | undefined): void {
  const inputTokens = estimateInputTokens(request);
  if (contextWindow === undefined || inputTokens <= contextWindow) return;
  throw new ContextWindowExceededError(`scripted: ${inputTokens} tokens do not fit into ${contextWindow}`, {
    provider: 'scripted',
    kind: 'input',
    inputTokens,
    contextWindow,
  });
}

function completionOf(
  answer: Exclude<ScriptedAnswer, Error | string>,
  request: CompletionRequest,
  { model, id, prices }: { readonly model: string; readonly id: string; readonly prices: TokenPrices | undefined },
): Completion {
  const {
    text = '',
    toolCalls = [],
    thinkingBlocks,
    reasoningItems,
    reasoningContent,
    finishReason,
    callStates,
    usage,
    usageIsEstimated = false,
  } = answer;
  const message: AssistantMessage = {
    role: 'assistant',
    content: text === '' ? [] : [{ type: 'text', text }],
    ...(toolCalls.length === 0
      ? {}
      : { toolCalls: toolCalls.map((call, index) => neutralCall(call, `${id}-${index + 1}`)) }),
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
    ...(reasoningItems === undefined ? {} : { reasoningItems }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  };
  const used = usage ?? estimateUsage(request, message);
  return {
    message,
    ...(callStates === undefined ? {} : { callStates }),
    providerResponseId: id,
    usage: used,
    ...(usageIsEstimated ? { usageIsEstimated } : {}),
    finishReason: finishReason ?? (toolCalls.length === 0 ? 'stop' : 'tool-calls'),
    model,
    ...(prices === undefined || usageIsEstimated ? {} : { costUsd: costOf(used, prices) }),
  };
}

function neutralCall(call: ScriptedToolCall, id: string): ToolCall {
  const { name, arguments: input = {} } = call;
  return { id: call.id ?? `call-${id}`, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
}
