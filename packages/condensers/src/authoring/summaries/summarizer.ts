import { InvalidRequestError, MalformedHistoryError, sumUsage } from '@palimpsest/llm-adapters';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { CondenserModelError } from '../definition/errors.js';
import type { ModelAccount } from '../definition/errors.js';
import { objectWith, optionsOf } from '../definition/option-schemas.js';
import { checkedOptions } from '../definition/options.js';
import { wordsOf } from '../model/answers.js';
import { accountOf, callModel, isBlankAnswer, isCost, modelCallOptions, withinDeadline } from '../model/call-model.js';
import type { AskOptions, ModelCallOptions } from '../model/call-model.js';
import { promptBehind, promptOf, promptWithin } from '../model/prompt.js';
import type { AgentConversation, SummaryInput } from '../model/prompt.js';
import { summaryHeader, summaryTemplate } from '../model/summary.prompt.js';

/** A writer of summaries. {@link llmSummarizer} calls a model. A custom summariser may use any other source. */
export interface Summarizer {
  /** The summariser's name in messages and metadata. */
  readonly model?: string | undefined;
  /**
   * Writes one summary. Rejects with the signal's reason when the signal aborts. Any other error leaves the history unchanged.
   *
   * @throws {@link CondenserModelError} when there is no usable summary.
   */
  summarize(input: SummaryInput, context: { readonly signal?: AbortSignal | undefined }): Promise<SummaryResult>;
}

/** The model that writes summaries and its settings. The default prompt is {@link summaryTemplate}. */
export interface LLMSummarizerOptions extends ModelCallOptions {
  /** The model; one that is smaller than the agent's is often enough. */
  readonly llm: LLM;
}

const summarizerOptions = /* @__PURE__ */ optionsOf(() => ({
  llm: objectWith<LLM>('complete'),
  ...modelCallOptions(10_000),
}));

/**
 * Returns a summariser that calls a model once, not streamed, without tools. The prompt holds each event with its call arguments; events
 * longer than `maxEventCharacters` are cut in the middle. The whole prompt fits into the model's window (100,000 tokens if the
 * model does not state its own); the oldest events are cut most to make it fit. Thinking and images are left out. The summary
 * begins with a line that identifies it as one.
 *
 * If it is given the agent's conversation, and that is the same model's and leaves room, it asks behind it instead.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `summarize` throws {@link CondenserModelError} when
 *   the model fails, is too slow, is cut off, refuses, calls a tool or returns no text.
 */
export function llmSummarizer(options: LLMSummarizerOptions): Summarizer {
  const checked = checkedOptions(summarizerOptions, options, { subject: 'llmSummarizer' });
  const { llm, prompt = summaryTemplate, maxOutputTokens, timeoutMs, maxEventCharacters } = checked;
  const write = promptOf('llmSummarizer', prompt);
  return {
    model: llm.model,
    summarize: (input, { signal }) => {
      const { conversation } = input;
      const behind = async (): Promise<SummaryResult | undefined> => {
        if (conversation === undefined) return undefined;
        const text = promptBehind(write, input, conversation.keptFrom);
        const completion = await askBehind(llm, conversation, { text, maxOutputTokens }, { timeoutMs, signal });
        return completion && summaryOf(completion);
      };
      return extendedOrSeparate(behind, async () => {
        // The heading of a summary is our own text; the model would copy it.
        const previousSummary = input.previousSummary?.replaceAll(`${summaryHeader}\n\n`, '');
        const { contextWindow } = llm;
        const limits = { contextWindow, maxOutputTokens, maxEventCharacters };
        const text = promptWithin(write, { ...input, previousSummary }, limits);
        const messages = [{ role: 'user', content: [{ type: 'text', text }] }] as const;
        return summaryOf(await callModel(llm, { messages, maxOutputTokens }, { timeoutMs, signal }));
      });
    },
  };
}

/** @throws {@link CondenserModelError} when the answer is not words alone. */
function summaryOf(completion: Completion): SummaryResult {
  return { text: `${summaryHeader}\n\n${wordsOf(completion)}`, ...accountOf(completion) };
}

/** Returns a summariser that calls `asks` when it is called. */
export function notifyingSummarizer(summarizer: Summarizer, asks: () => void): Summarizer {
  return {
    model: summarizer.model,
    summarize: (input, asking) => {
      asks();
      return summarizer.summarize(input, asking);
    },
  };
}

/** A summary with its usage and cost. */
export interface SummaryResult extends ModelAccount {
  readonly text: string;
  /** True if it was asked for behind the agent's conversation. @defaultValue false */
  readonly isExtension?: boolean | undefined;
}

/** A non-blank summary with its usage and cost. */
export interface AskedSummary {
  readonly text: string;
  /** The size of the summary in the view. Unit: tokens, as the view estimates. */
  readonly tokens: number;
  readonly account: ModelAccount;
  /** True if it was asked for after the agent's request. Undefined if it could not have been. */
  readonly isExtension?: boolean | undefined;
}

/** The shortest summary length that is requested. Unit: tokens. */
export const leastSummaryTokens = 64;

/**
 * Calls a built-in or custom summariser once, with a deadline.
 *
 * @throws {@link CondenserModelError} when there is no summary; the signal's reason when the caller aborts.
 */
export async function askForSummary(
  view: View,
  input: SummaryInput,
  options: {
    readonly summarizer: Summarizer;
    /** Unit: milliseconds. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<AskedSummary> {
  const { summarizer, timeoutMs, signal } = options;
  const { model } = summarizer;
  let result: SummaryResult | undefined;
  try {
    result = await withinDeadline({ timeoutMs, signal, model }, (until) =>
      summarizer.summarize(input, { signal: until }),
    );
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (CondenserModelError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CondenserModelError('error', reason, { account: { model }, cause: error });
  }
  const account = {
    model: result?.model ?? model,
    usage: result?.usage,
    costUsd: isCost(result?.costUsd) ? result?.costUsd : undefined,
  };
  // A summariser in plain JavaScript may return any value.
  const text = typeof result?.text === 'string' ? result.text.toWellFormed().trim() : '';
  if (isBlankAnswer(text)) throw new CondenserModelError('empty', 'the summary is blank', { account });
  const event = { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment' } as const;
  const isExtension = input.conversation === undefined ? {} : { isExtension: result?.isExtension === true };
  return { text, tokens: view.tokensOf({ ...event, summary: text }), account, ...isExtension };
}

/** Assumed where neither the summariser nor the agent limits an answer. Unit: tokens. */
const usualAnswer = 4_096;
/** The same figure as in the view's estimate. */
const charactersPerToken = 4;

/**
 * Calls a model after the agent's conversation: the same messages, tools and cache key, and one message more. The tool
 * choice is the agent's too, because another one makes some providers forget the messages in their cache. Undefined if
 * the conversation is another model's, or the question and its answer do not fit behind it.
 *
 * @throws {@link CondenserModelError} when the model fails; the signal's reason when the caller aborts.
 */
export async function askBehind(
  llm: LLM,
  { request, tokens }: AgentConversation,
  question: { readonly text: string; readonly maxOutputTokens?: number | undefined },
  options: AskOptions,
): Promise<Completion | undefined> {
  const { model, messages, tools, cache } = request;
  const maxOutputTokens = question.maxOutputTokens ?? request.maxOutputTokens;
  const size = tokens + Math.ceil(question.text.length / charactersPerToken) + (maxOutputTokens ?? usualAnswer);
  if (llm.model !== model || size > (llm.contextWindow ?? Infinity)) return undefined;
  const content = { type: 'text', text: question.text } as const;
  const last = messages.at(-1);
  return callModel(
    llm,
    {
      // Neighbouring messages of the user are one message, as in a rendered view.
      messages:
        last?.role === 'user'
          ? [...messages.slice(0, -1), { ...last, content: [...last.content, content] }]
          : [...messages, { role: 'user', content: [content] }],
      ...(tools === undefined ? {} : { tools }),
      ...(cache === undefined ? {} : { cache }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    options,
  );
}

/**
 * Returns a summary that was asked for behind the agent's conversation, or in a request of its own if that was not possible or gave
 * none. Both calls are on its account. A provider that is down, and one that is too slow, are not asked twice.
 *
 * @throws {@link CondenserModelError} when the request of its own fails too, with both calls on its account.
 */
export async function extendedOrSeparate(
  behind: () => Promise<SummaryResult | undefined>,
  separate: () => Promise<SummaryResult>,
): Promise<SummaryResult> {
  let spent: ModelAccount | undefined;
  try {
    const summary = await behind();
    if (summary !== undefined) return { ...summary, isExtension: true };
  } catch (error) {
    if (!CondenserModelError.isInstance(error) || !mayAskSeparately(error)) throw error;
    spent = error.account;
  }
  try {
    const summary = await separate();
    return { ...summary, ...sumOf(spent, summary) };
  } catch (error) {
    if (!CondenserModelError.isInstance(error) || spent === undefined) throw error;
    const { kind, message, mayRetry, account, cause } = error;
    throw new CondenserModelError(kind, message, { account: sumOf(spent, account), mayRetry, cause });
  }
}

function mayAskSeparately({ kind, cause }: CondenserModelError): boolean {
  if (kind === 'timeout') return false;
  return kind !== 'error' || InvalidRequestError.isInstance(cause) || MalformedHistoryError.isInstance(cause);
}

function sumOf(spent: ModelAccount | undefined, { model, usage, costUsd }: ModelAccount): ModelAccount {
  if (spent?.usage === undefined) return { model, usage, costUsd };
  const isPriced = spent.costUsd !== undefined || costUsd !== undefined;
  return {
    model,
    usage: usage === undefined ? spent.usage : sumUsage([spent.usage, usage]),
    ...(isPriced ? { costUsd: (spent.costUsd ?? 0) + (costUsd ?? 0) } : {}),
  };
}
