import type { AssistantMessage } from '@palimpsest/events';
import { ContextWindowExceededError, estimateInputTokens, estimateUsage } from '@palimpsest/llm-adapters';
import type { CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { nextTurn } from './plan.js';
import type { NextTurn, PlanStep } from './plan.js';
import { stepLabel } from './recollection.js';

/** Options of {@link offlineModel}. */
export interface OfflineModelOptions {
  readonly plan: readonly PlanStep[];
  /** A longer request is refused, as a provider would. Unit: estimated tokens. @defaultValue none */
  readonly contextWindow?: number;
}

/**
 * A model without a provider that follows a plan. Its answer depends only on the messages of the request: equal requests get
 * equal answers, and text that was condensed away is unknown to it.
 */
export function offlineModel({ plan, contextWindow }: OfflineModelOptions): LLM {
  return {
    model: 'offline',
    contextWindow,
    async complete(request) {
      request.signal?.throwIfAborted();
      assertFits(request, contextWindow);
      const turn = nextTurn(plan, request.messages);
      const message = turn === undefined ? nothingLeft : messageOf(turn);
      return {
        message,
        usage: estimateUsage(request, message),
        usageIsEstimated: true,
        finishReason: message.toolCalls === undefined ? 'stop' : 'tool-calls',
        model: 'offline',
      };
    },
  };
}

const nothingLeft: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'Nothing is left to do.' }],
};

function messageOf(turn: NextTurn): AssistantMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text: `${turn.say} ${stepLabel(turn.step, turn.isReadingAgain)}` }],
    toolCalls: turn.calls.map(({ tool, input }, index) => ({
      id: `call-${slug(turn)}-${index + 1}`,
      name: tool,
      arguments: JSON.stringify(input),
    })),
  };
}

function slug(turn: NextTurn | undefined): string {
  return turn === undefined ? 'end' : `${turn.step.replaceAll('/', '-')}${turn.isReadingAgain ? '-again' : ''}`;
}

function assertFits(request: CompletionRequest, contextWindow: number | undefined): void {
  const inputTokens = estimateInputTokens(request);
  if (contextWindow === undefined || inputTokens <= contextWindow) return;
  throw new ContextWindowExceededError(`The request has ${inputTokens} tokens; the window has ${contextWindow}.`, {
    provider: 'offline',
    kind: 'input',
    inputTokens,
    contextWindow,
  });
}
