import { describe, test } from 'vitest';
import { openaiScenarioServer } from '../../test-support/scenario-servers.js';
import type { ServerKind } from '../../test-support/scenario-servers.js';
import { llmContract } from '../testing/llm-contract.js';
import type { LLMContractOptions } from '../testing/llm-contract.js';
import type { LLMScenario, LLMUnderTest } from '../testing/llm-contract/scenario.js';
import { openaiLLM } from './llm.js';
import type { OpenAILLMOptions } from './llm.js';
import type { ServerName } from './server-profile.js';

// The package `openai` itself talks over HTTP to a server that refuses what the provider refuses. Nothing of it is mocked.

interface Kind extends ServerKind {
  readonly llm: OpenAILLMOptions;
}

/** A scenario on the real package and a server of this machine. */
async function behindServer(scenario: LLMScenario, kind: Kind): Promise<LLMUnderTest> {
  const { attempts, apiKey } = scenario;
  const server = await openaiScenarioServer(scenario, kind);
  return {
    llm: openaiLLM({ ...kind.llm, apiKey, baseURL: server.baseURL, retry: { attempts, minDelayMs: 1 } }),
    sent: () => server.requests.map(({ body }) => body),
    dispose: () => server.close(),
  };
}

describe('Chat Completions', () => {
  const kind: Kind = { llm: { model: 'gpt-4o', api: 'chat-completions' }, eventsToText: 2 };
  llmContract({
    test,
    create: (scenario) => behindServer(scenario, kind),
    lacks: { thinking: 'Chat Completions hands out none' },
  });
});

describe('Responses', () => {
  const kind: Kind = { llm: { model: 'gpt-6.2-sol', api: 'responses', server: 'openai' }, eventsToText: 5 };
  llmContract({ test, create: (scenario) => behindServer(scenario, kind) });
});

const noThinking = 'the server hands out none';
const textOnly = 'the server reads text only';

describe.each<readonly [NonNullable<Kind['profile']>, ServerName, NonNullable<LLMContractOptions['lacks']>]>([
  ['deepseek', 'deepseek', { images: textOnly }],
  ['kimi', 'kimi', {}],
  ['mistral', 'mistral', { thinking: noThinking }],
  ['gemini', 'gemini', { thinking: 'its signatures stand on calls' }],
  ['openrouter', 'openrouter', { thinking: noThinking }],
  ['vllm-qwen', 'vllm', { thinking: noThinking }],
  ['strict-template', 'strict-template', { thinking: noThinking, images: textOnly }],
  ['llama.cpp', 'llama.cpp', { thinking: noThinking }],
  ['lmstudio-old', 'lmstudio', { thinking: noThinking }],
  ['ollama', 'ollama', { thinking: noThinking, overflow: 'the server quietly reads less' }],
])('Chat Completions of %s', (profile, server, lacks) => {
  const kind: Kind = { llm: { model: 'some-model', server }, profile, eventsToText: 2 };
  llmContract({ test, create: (scenario) => behindServer(scenario, kind), lacks });
});
