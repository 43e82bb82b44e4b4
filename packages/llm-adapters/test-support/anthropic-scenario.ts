import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicReply, ProviderServer } from '@palimpsest/provider-servers';
import type { LLMScenario, ScenarioTurn } from '../src/testing/llm-contract/scenario.js';

/** Starts a server that does what a scenario says. */
export function anthropicScenarioServer({ turns }: LLMScenario): Promise<ProviderServer> {
  const [first] = turns;
  return anthropicServer({
    reply: (body, index) => replyOf(turns[Math.min(index, turns.length - 1)], sentToolName(body)),
    ...(first?.type === 'wrong-key' ? { apiKey: 'another key' } : {}),
    ...(first?.type === 'overflow' ? { contextWindow: 1 } : {}),
  });
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
