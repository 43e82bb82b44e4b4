import type { Message, ToolDefinition } from '@palimpsest/events';
import { noUsage } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import type { TokenUse } from '../measure/money.js';
import type { TextCounter } from '../measure/tokens.js';

/** The model that condensers ask in a replay, and what each of its calls used. Unit: tokens. */
export interface Summariser {
  readonly llm: LLM;
  readonly used: { readonly each: readonly TokenUse[] };
}

const sentence = 'The agent read files, ran commands and changed code; this stands for a summary of that. ';
/** The longest summary. Unit: tokens. */
const longestSummary = 800;
/** The longest summary as a share of what it summarises. */
const summaryShare = 0.15;
/** The number of events that a ranking names. */
const rankedEvents = 60;
const tokensPerMessage = 4;
const tokensPerImage = 1_000;

/**
 * Stands in for a model in replays, so that condensers that ask a model can be compared offline, without cost, and with the same
 * result every time. Its summaries have no content and 15 % of the length of their input, at most 800 tokens. It fills in the
 * fields of a required tool, and ranks every other event. A replay with it shows what is sent and what that costs, not how good
 * summaries are: what the replay says of the memory of such a condenser is a lower bound.
 */
export function stubSummarizer(count: TextCounter): Summariser {
  const each: TokenUse[] = [];
  const sizeOf = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => {
      const parts = message.content.map((part) => (part.type === 'text' ? count(part.text) : tokensPerImage));
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
      const sizes = [...parts, ...calls.map((call) => count(call.name + call.arguments))];
      return sizes.reduce((total, size) => total + size, sum + tokensPerMessage);
    }, 0);
  const llm: LLM = {
    model: 'stand-in',
    complete: async (request) => {
      request.signal?.throwIfAborted();
      const input = sizeOf(request.messages) + count(JSON.stringify(request.tools ?? []));
      const summaryTokens = Math.min(longestSummary, summaryShare * input);
      const message = answerTo(request, sentence.repeat(Math.max(2, Math.ceil(summaryTokens / count(sentence)))));
      const output = sizeOf([message]);
      each.push({ cacheRead: 0, cacheWrite: 0, input, output });
      return {
        message,
        usage: { ...noUsage, uncachedInputTokens: input, outputTokens: output },
        usageIsEstimated: true,
        finishReason: message.toolCalls === undefined ? 'stop' : 'tool-calls',
        model: 'stand-in',
      } satisfies Completion;
    },
  };
  return { llm, used: { each } };
}

type Answer = Extract<Message, { readonly role: 'assistant' }>;

function answerTo({ tools = [], responseFormat }: CompletionRequest, summary: string): Answer {
  const [tool] = tools;
  if (tool !== undefined) {
    const toolCall = { id: 'stand-in', name: tool.name, arguments: JSON.stringify(fieldsOf(tool)) };
    return { role: 'assistant', content: [], toolCalls: [toolCall] };
  }
  const ids = Array.from({ length: rankedEvents }, (_, index) => 2 * index + 1);
  const text = responseFormat === undefined ? summary : JSON.stringify({ ids });
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

function fieldsOf({ inputSchema }: ToolDefinition): Readonly<Record<string, string>> {
  const { properties = {} } = inputSchema as { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.fromEntries(
    Object.keys(properties).map((name) => [
      name,
      `What stands for ${name}, at the length of a short answer. `.repeat(2),
    ]),
  );
}
