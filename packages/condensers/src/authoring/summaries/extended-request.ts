import { InvalidRequestError, MalformedHistoryError, sumUsage } from '@palimpsest/llm-adapters';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { askModel } from '../model/ask-model.js';
import type { AskOptions } from '../model/ask-model.js';
import { CondenserModelError } from '../model/model-failure.js';
import type { ModelAccount } from '../model/model-failure.js';
import type { SummaryResult } from './summary-result.js';
import type { AgentConversation } from './summary-input.js';

/** Assumed where neither the summariser nor the agent limits an answer. Unit: tokens. */
const usualAnswer = 4_096;
/** As in the view's estimate. */
const charactersPerToken = 4;

/**
 * Asks a model behind the agent's conversation: the same messages, tools and cache key, and one message more. The tool choice is the
 * agent's too, because another one makes some providers forget the messages in their cache. Undefined if the conversation is another
 * model's, or the question and its answer do not fit behind it.
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
  return askModel(
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
 * A summary that was asked for behind the agent's conversation, or in a request of its own if that was not possible or gave none. Both
 * calls are on its account. A provider that is down, and one that is too slow, are not asked twice.
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
