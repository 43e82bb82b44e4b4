import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicReply } from '@palimpsest/provider-servers';
import { describe, test } from 'vitest';
import { llmContract } from '../testing/llm-contract.js';
import type { LLMScenario, LLMUnderTest, ScenarioTurn } from '../testing/llm-contract/scenario.js';
import { anthropicLLM } from './llm.js';
import type { AnthropicLLMOptions } from './llm.js';

// The package `@anthropic-ai/sdk` itself talks over HTTP to a server that refuses what the provider refuses.

/** A scenario on the real package and a server of this machine. */
async function behindServer(
  { turns, attempts, apiKey }: LLMScenario,
  options: AnthropicLLMOptions,
): Promise<LLMUnderTest> {
  const [first] = turns;
  const server = await anthropicServer({
    reply: (body, index) => replyOf(turns[Math.min(index, turns.length - 1)], sentToolName(body)),
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
  return {
    llm: anthropicLLM({ ...options, apiKey, baseURL: server.baseURL, retry: { attempts, minDelayMs: 1 } }),
    sent: () => server.requests.map(({ body }) => body),
    dispose: () => server.close(),
  };
}

/** The name of the only tool, as the adapter sent it. */
function sentToolName({ tools }: { readonly tools?: unknown }): string {
  const [tool] = (tools ?? []) as readonly { readonly name: string }[];
  return tool?.name ?? '';
}

/** Events of a stream up to the first text: its start, a ping, the start of the block, the text. */
const eventsToText = 4;

function replyOf(turn: ScenarioTurn | undefined, name: string): AnthropicReply | Promise<AnthropicReply> {
  switch (turn?.type) {
    case 'answer': {
      const { text, thinking, toolCalls, finishReason } = turn;
      const reasons = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', 'content-filter': 'refusal' };
      return {
        content: [
          ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...toolCalls.map(({ id, name: asked, arguments: input }) => ({
            type: 'tool_use',
            id,
            name: asked === '' ? '' : name,
            // Without arguments, the model still writes an object.
            input: input === '' && finishReason === 'tool-calls' ? {} : input,
          })),
        ],
        stop_reason: reasons[finishReason],
      };
    }
    case 'stall':
    case 'cut':
      return {
        content: [{ type: 'text', text: turn.text }],
        delivery: { fault: turn.type, afterEvents: eventsToText },
      };
    case 'rate-limit':
      return { fault: 'rate-limit', retryAfterSeconds: turn.retryAfterSeconds };
    case 'failure':
      return { fault: 'server-error' };
    default:
      return new Promise(() => undefined);
  }
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
