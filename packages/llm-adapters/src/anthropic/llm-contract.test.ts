import { describe, test } from 'vitest';
import { anthropicScenarioServer } from '../../test-support/scenario-servers.js';
import { llmContract } from '../testing/llm-contract.js';
import type { LLMScenario, LLMUnderTest } from '../testing/llm-contract/scenario.js';
import { anthropicLLM } from './llm.js';
import type { AnthropicLLMOptions } from './llm.js';

// The package `@anthropic-ai/sdk` itself talks over HTTP to a server that refuses what the provider refuses.

/** A scenario on the real package and a server of this machine. */
async function behindServer(scenario: LLMScenario, options: AnthropicLLMOptions): Promise<LLMUnderTest> {
  const { attempts, apiKey } = scenario;
  const server = await anthropicScenarioServer(scenario);
  return {
    llm: anthropicLLM({ ...options, apiKey, baseURL: server.baseURL, retry: { attempts, minDelayMs: 1 } }),
    sent: () => server.requests.map(({ body }) => body),
    dispose: () => server.close(),
  };
}

describe.each<AnthropicLLMOptions>([
  // Binds its thinking to what stood before it.
  { model: 'claude-opus-5-5' },
  // Takes instructions among the messages, and does not bind.
  { model: 'claude-opus-4-8' },
  // Needs a budget to think.
  { model: 'claude-haiku-4-5', thinking: 'on' },
])('Messages of $model', (options) => {
  llmContract({
    test,
    create: (scenario) => behindServer(scenario, options),
    lacks: {
      'unreported-usage': 'Anthropic always counts',
      'broken-arguments': 'Anthropic hands out objects, unless it cuts them',
    },
  });
});
