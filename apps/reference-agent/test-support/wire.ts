import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import type { AnthropicLLMOptions } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import type { OpenAILLMOptions } from '@palimpsest/llm-adapters/openai';
import { scriptedServer } from '@palimpsest/provider-servers';
import type { ProviderServer, Script, ScriptedServerOptions } from '@palimpsest/provider-servers';
import { onTestFinished } from 'vitest';

/** A model over a real SDK and HTTP, and its server, which refuses what the provider refuses. */
export interface Wire {
  readonly server: ProviderServer;
  readonly llm: LLM;
}

/** The API of a model. */
export type Api = 'messages' | 'responses' | 'chat-completions';

/** Options of {@link openWire}. */
export interface WireOptions extends Pick<AnthropicLLMOptions, 'contextWindow' | 'maxOutputTokens' | 'thinking'> {
  /** The server that is imitated. @defaultValue OpenAI's own */
  readonly compatible?: OpenAILLMOptions['server'];
  readonly server?: ScriptedServerOptions;
}

/** The key of every model of the tests. */
export const apiKey = 'sk-test-0123456789abcdef';

/** Starts a server until the end of the test, and returns a model that asks it. */
export async function openWire(
  api: Api,
  model: string,
  script: Script,
  { server: own, compatible = 'openai', thinking, ...more }: WireOptions = {},
): Promise<Wire> {
  const server = await scriptedServer(api === 'messages' ? 'anthropic' : 'openai', script, { apiKey, ...own });
  onTestFinished(() => server.close());
  const options = { model, apiKey, baseURL: server.baseURL, retry: { minDelayMs: 1 }, ...more };
  const llm =
    api === 'messages'
      ? anthropicLLM({ ...options, ...(thinking === undefined ? {} : { thinking }) })
      : openaiLLM({ ...options, api, server: compatible });
  return { server, llm };
}
