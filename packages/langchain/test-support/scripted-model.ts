import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { scriptedServer, toolLoop } from '@palimpsest/provider-servers';
import type { ProviderServer, ToolLoopOptions } from '@palimpsest/provider-servers';

/** The API by which a scripted model is called. */
export type Api = 'chat' | 'responses' | 'anthropic';

/** The answers of a scripted model. */
export interface Script extends ToolLoopOptions {
  /** Unit: tokens. @defaultValue the model's */
  readonly contextWindow?: number;
}

/** Returns a server of a provider with a model that goes on calling tools. */
export function scriptedModel(api: Api, { contextWindow, ...loop }: Script): Promise<ProviderServer> {
  const options = contextWindow === undefined ? {} : { contextWindow };
  return scriptedServer(api === 'anthropic' ? 'anthropic' : 'openai', toolLoop(loop), options);
}

/** Returns the chat model of a server, as LangChain's own packages make it. */
export function chatModel(api: Api, model: string, { baseURL }: ProviderServer): ChatOpenAI | ChatAnthropic {
  const maxRetries = 0;
  if (api !== 'anthropic') {
    const configuration = { baseURL };
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
    anthropicApiUrl: baseURL,
    maxRetries,
    maxTokens: 4_000,
    ...withThinking,
  });
}
