import { openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIReply, OpenAIServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import type { LLMScenario, ScenarioTurn } from '../src/testing/llm-contract/scenario.js';

/** The dialect that the server speaks. */
export interface ServerKind {
  readonly profile?: OpenAIServerOptions['profile'];
  /** Events of a stream up to the first text. */
  readonly eventsToText: number;
}

/** Starts a server that does what a scenario says. */
export function openaiScenarioServer(
  { turns }: LLMScenario,
  { profile, eventsToText }: ServerKind,
): Promise<ProviderServer> {
  const [first] = turns;
  return openaiServer({
    reply: (body, index) => replyOf(turns[Math.min(index, turns.length - 1)], eventsToText, sentToolName(body)),
    pieceSize: 100,
    profile,
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
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
