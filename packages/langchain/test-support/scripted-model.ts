import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';

/** How a scripted model is called. */
export type Api = 'chat' | 'responses' | 'anthropic';

/** What a scripted model does. */
export interface Script {
  /** The last answer of each loop is text, the others are calls. */
  readonly steps: number;
  /** Unit: tokens. @defaultValue the model's */
  readonly contextWindow?: number;
  /** Before each answer. @defaultValue false */
  readonly thinks?: boolean;
  /** Begins the ids of calls. @defaultValue `call` */
  readonly name?: string;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** Two calls in every third answer; some of files that are missing, some of a tool that answers with an image. */
function callsOf(index: number, name: string): readonly Call[] {
  return Array.from({ length: index % 3 === 2 ? 2 : 1 }, (_, call) => {
    const id = `${name}_${index}_${call}`;
    if (index % 10 === 4) return { id, name: 'screenshot', input: {} };
    return { id, name: 'read', input: { path: index % 7 === 3 ? `missing/${id}.ts` : `src/${id}.ts` } };
  });
}

/** A server of a provider with a model that goes on calling tools. */
export async function scriptedServer(api: Api, script: Script): Promise<ProviderServer> {
  const { steps, contextWindow, thinks = false, name = 'call' } = script;
  const isLast = (index: number) => index % steps === steps - 1;
  const textAt = (index: number) => (index % 4 === 0 || isLast(index) ? `Answer ${index}.` : undefined);
  const callsAt = (index: number) => (isLast(index) ? [] : callsOf(index, name));
  const options = contextWindow === undefined ? {} : { contextWindow };
  if (api === 'anthropic') {
    return anthropicServer({
      ...options,
      reply: (_, index) => ({
        content: [
          ...(thinks ? [{ type: 'thinking', thinking: `Thought ${index}.`, signature: '' }] : []),
          ...(textAt(index) === undefined ? [] : [{ type: 'text', text: textAt(index) }]),
          ...callsAt(index).map((call) => ({ type: 'tool_use', ...call })),
        ],
      }),
    });
  }
  return openaiServer({
    ...options,
    reply: (_, index) => ({
      message: {
        role: 'assistant',
        content: textAt(index) ?? null,
        ...(thinks ? { reasoning_content: `Thought ${index}.` } : {}),
        ...(callsAt(index).length === 0
          ? {}
          : {
              tool_calls: callsAt(index).map(({ id, name: tool, input }) => ({
                id,
                type: 'function',
                function: { name: tool, arguments: JSON.stringify(input) },
              })),
            }),
      },
    }),
  });
}

/** The chat model of a server, as LangChain's own packages make it. */
export function chatModel(api: Api, model: string, { url }: ProviderServer): ChatOpenAI | ChatAnthropic {
  const maxRetries = 0;
  if (api !== 'anthropic') {
    const configuration = { baseURL: url };
    const useResponsesApi = api === 'responses';
    return new ChatOpenAI({ model, apiKey: 'key', configuration, maxRetries, useResponsesApi });
  }
  const thinking = model.includes('4-5')
    ? ({ type: 'enabled', budget_tokens: 1_024 } as const)
    : ({ type: 'adaptive' } as const);
  const withThinking = /opus|sonnet/.test(model) ? { thinking } : {};
  return new ChatAnthropic({
    model,
    apiKey: 'key',
    anthropicApiUrl: url,
    maxRetries,
    maxTokens: 4_000,
    ...withThinking,
  });
}

/** What was sent, request by request, as a flat list of blocks and items without thinking, each with the author's role. */
export function sentTo(server: ProviderServer): readonly (readonly string[])[] {
  return server.requests.map(({ body }) => {
    const { messages, input } = body as { messages?: readonly Sent[]; input?: readonly Sent[] };
    return (messages ?? input ?? []).flatMap((message) =>
      Array.isArray(message.content)
        ? (message.content as readonly Sent[])
            .filter(({ type }) => type !== 'thinking')
            .map((block) => JSON.stringify([message.role, block]))
        : [JSON.stringify(message)],
    );
  });
}

interface Sent {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
}

/** The requests that do not begin with the one before them. */
export function rewritesIn(sent: readonly (readonly string[])[]): readonly number[] {
  return sent.flatMap((blocks, index) => {
    const before = sent[index - 1] ?? [];
    return before.every((block, place) => block === blocks[place]) ? [] : [index];
  });
}
