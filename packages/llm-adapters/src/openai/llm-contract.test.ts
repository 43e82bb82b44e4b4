import { openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIReply, OpenAIServerOptions } from '@palimpsest/provider-servers';
import { describe, test } from 'vitest';
import { llmContract } from '../testing/llm-contract.js';
import type { LLMContractOptions } from '../testing/llm-contract.js';
import type { LLMScenario, LLMUnderTest, ScenarioTurn } from '../testing/llm-contract/scenario.js';
import { openaiLLM } from './llm.js';
import type { OpenAILLMOptions } from './llm.js';
import type { ServerName } from './server-profile.js';

// The package `openai` itself talks over HTTP to a server that refuses what the provider refuses. Nothing of it is mocked.

interface Kind {
  readonly llm: OpenAILLMOptions;
  readonly profile?: OpenAIServerOptions['profile'];
  /** Events of a stream up to the first text. */
  readonly eventsToText: number;
}

/** A scenario on the real package and a server of this machine. */
async function behindServer(
  { turns, attempts, apiKey }: LLMScenario,
  { llm, profile, eventsToText }: Kind,
): Promise<LLMUnderTest> {
  const [first] = turns;
  const server = await openaiServer({
    reply: (body, index) => replyOf(turns[Math.min(index, turns.length - 1)], eventsToText, sentToolName(body)),
    pieceSize: 100,
    profile,
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
  return {
    llm: openaiLLM({ ...llm, apiKey, baseURL: server.baseURL, retry: { attempts, minDelayMs: 1 } }),
    sent: () => server.requests.map(({ body }) => body),
    dispose: () => server.close(),
  };
}

/** The name of the only tool, as the adapter sent it. */
function sentToolName({ tools }: { readonly tools?: unknown }): string {
  const [tool] = (tools ?? []) as readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  return tool?.function?.name ?? tool?.name ?? '';
}

function replyOf(
  turn: ScenarioTurn | undefined,
  eventsToText: number,
  name: string,
): OpenAIReply | Promise<OpenAIReply> {
  switch (turn?.type) {
    case 'answer': {
      const { text, thinking, toolCalls, finishReason, reportsUsage } = turn;
      const tool_calls = toolCalls.map(({ id, name: asked, arguments: input }) => ({
        id,
        type: 'function',
        function: { name: asked === '' ? '' : name, arguments: input },
      }));
      return {
        message: {
          content: text === '' && tool_calls.length > 0 ? null : text,
          reasoning_content: thinking,
          ...(tool_calls.length === 0 ? {} : { tool_calls }),
        },
        finish_reason: finishReason.replace('-', '_'),
        ...(reportsUsage ? {} : { usage: null }),
      };
    }
    case 'stall':
    case 'cut':
      return { message: { content: turn.text }, delivery: { fault: turn.type, afterEvents: eventsToText } };
    case 'rate-limit':
      return { fault: 'rate-limit', retryAfterSeconds: turn.retryAfterSeconds };
    case 'failure':
      return { fault: 'server-error' };
    default:
      return new Promise(() => undefined);
  }
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
