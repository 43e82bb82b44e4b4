import type { AssistantMessage, ToolCall, Usage } from '@palimpsest/events';
import { deltasFromMessage } from '../delta.js';
import { ContextWindowExceededError, LLMError } from '../errors.js';
import type { Completion, CompletionRequest, FinishReason, LLM } from '../llm.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { estimateInputTokens, estimateUsage } from '../usage-estimate.js';

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
      /** @defaultValue `tool-calls` where there are any, else `stop` */
      readonly finishReason?: FinishReason;
      /** @defaultValue {@link estimateUsage} */
      readonly usage?: Usage;
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
  /** A request estimated above it is refused, and no answer is used up. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** @defaultValue none, and completions carry no cost */
  readonly prices?: TokenPrices;
  /** Stands before the numbers in ids. Two scripts that write one log need two. @defaultValue `scripted` */
  readonly idPrefix?: string;
}

/** A {@link scriptedLLM}, with what it was asked. */
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
 * A model that answers from a script: no key, no network, the same answers every time. Usage is {@link estimateUsage}: four
 * characters a token, nothing cached.
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
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    requests,
    complete: async (request) => {
      request.signal?.throwIfAborted();
      requests.push(request);
      assertFits(request, contextWindow);
      const index = given++;
      const answer = typeof script === 'function' ? await script(request, index) : script[index];
      request.signal?.throwIfAborted();
      if (answer === undefined) throw new ScriptEndedError(index);
      if (answer instanceof Error) throw answer;
      const completion = completionOf(answer, request, { model, id: `${idPrefix}-${index + 1}`, prices });
      if (request.onDelta !== undefined)
        for (const delta of deltasFromMessage(completion.message)) request.onDelta(delta);
      return completion;
    },
  };
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
  answer: Exclude<ScriptedAnswer, Error>,
  request: CompletionRequest,
  { model, id, prices }: { readonly model: string; readonly id: string; readonly prices: TokenPrices | undefined },
): Completion {
  const {
    text = '',
    toolCalls = [],
    thinkingBlocks,
    finishReason,
    usage,
  } = typeof answer === 'string' ? { text: answer } : answer;
  const message: AssistantMessage = {
    role: 'assistant',
    content: text === '' ? [] : [{ type: 'text', text }],
    ...(toolCalls.length === 0
      ? {}
      : { toolCalls: toolCalls.map((call, index) => neutralCall(call, `${id}-${index + 1}`)) }),
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
  };
  const used = usage ?? estimateUsage(request, message);
  return {
    message,
    responseId: id,
    usage: used,
    finishReason: finishReason ?? (toolCalls.length === 0 ? 'stop' : 'tool-calls'),
    model,
    ...(prices === undefined ? {} : { costUsd: costOf(used, prices) }),
  };
}

function neutralCall(call: ScriptedToolCall, id: string): ToolCall {
  const { name, arguments: input = {} } = call;
  return { id: call.id ?? `call-${id}`, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
}
