import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { AnthropicReply, OpenAIReply, OpenAIServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import type { LLMScenario, ScenarioTurn } from '../src/testing/llm-contract/scenario.js';

/** The dialect that the server speaks. */
export interface ServerKind {
  readonly profile?: OpenAIServerOptions['profile'];
  /** Events of a stream up to the first text. */
  readonly eventsToText: number;
}

/** Starts a server of OpenAI's APIs that does what a scenario says. */
export function openaiScenarioServer(
  { turns }: LLMScenario,
  { profile, eventsToText }: ServerKind,
): Promise<ProviderServer> {
  const [first] = turns;
  return openaiServer({
    reply: (body, index) => openaiReplyOf(turns[Math.min(index, turns.length - 1)], eventsToText, sentToolName(body)),
    pieceSize: 100,
    profile,
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
}

function openaiReplyOf(
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
    default:
      return failureOf(turn);
  }
}

/** Starts a server of the Messages API that does what a scenario says. */
export function anthropicScenarioServer({ turns }: LLMScenario): Promise<ProviderServer> {
  const [first] = turns;
  return anthropicServer({
    reply: (body, index) => anthropicReplyOf(turns[Math.min(index, turns.length - 1)], sentToolName(body)),
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
}

/** Events of a stream up to the first text: its start, a ping, the start of the block, the text. */
const anthropicEventsToText = 4;

function anthropicReplyOf(turn: ScenarioTurn | undefined, name: string): AnthropicReply | Promise<AnthropicReply> {
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
        delivery: { fault: turn.type, afterEvents: anthropicEventsToText },
      };
    default:
      return failureOf(turn);
  }
}

/** The name of the only tool, as the adapter sent it. */
function sentToolName({ tools }: { readonly tools?: unknown }): string {
  const [tool] = (tools ?? []) as readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  return tool?.function?.name ?? tool?.name ?? '';
}

/** Returns the reply in which no text comes, whatever the API. */
function failureOf(turn: ScenarioTurn | undefined) {
  switch (turn?.type) {
    case 'rate-limit':
      return { fault: turn.type, retryAfterSeconds: turn.retryAfterSeconds };
    case 'failure':
      return { fault: 'server-error' } as const;
    default:
      return new Promise<never>(() => undefined);
  }
}
