import type { Message, ToolDefinition } from '@palimpsest/events';
import { estimateUsage } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';

/** The length of a short summary: 150 words. */
const summary = 'The agent read files, ran commands and changed code; this stands for a summary of that. '.repeat(10);
/** How many events a ranking names. */
const rankedEvents = 60;

/**
 * Stands in for a model in replays, so that condensers that ask a model can be compared offline, without cost, and with the same
 * result every time. It answers with a text of 150 words, fills in the fields of a required tool, and ranks every other event.
 * A replay with it shows how much is sent and how often it changes, not how good summaries are.
 */
export function standInLLM(): LLM {
  return {
    model: 'stand-in',
    complete: async (request) => {
      request.signal?.throwIfAborted();
      const message = answerTo(request);
      const usage = estimateUsage(request, message);
      const finishReason = message.toolCalls === undefined ? 'stop' : 'tool-calls';
      return {
        message,
        usage,
        usageIsEstimated: true,
        finishReason,
        model: 'stand-in',
      } satisfies Completion;
    },
  };
}

type Answer = Extract<Message, { readonly role: 'assistant' }>;

function answerTo({ tools = [], responseFormat }: CompletionRequest): Answer {
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
  return Object.fromEntries(Object.keys(properties).map((name) => [name, `What stands for ${name}.`]));
}
