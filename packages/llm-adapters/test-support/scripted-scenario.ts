import {
  AuthenticationError,
  ContextWindowExceededError,
  LLMError,
  RateLimitError,
  ServiceUnavailableError,
} from '../src/errors.js';
import type { Completion, CompletionRequest } from '../src/llm.js';
import { unnamedToolName } from '../src/wire/pieces.js';
import { scriptedLLM } from '../src/testing/scripted-llm.js';
import type { ScriptedAnswer, ScriptedLLM } from '../src/testing/scripted-llm.js';
import type { LLMScenario, LLMUnderTest, ScenarioTurn } from '../src/testing/llm-contract/scenario.js';

/** Returns a scenario on a scripted model, which is model and provider in one. */
export function scriptedScenario({ turns, attempts }: LLMScenario): LLMUnderTest & { readonly llm: ScriptedLLM } {
  const once = scriptedLLM({
    script: (_request, index) => scripted(turns[Math.min(index, turns.length - 1)]),
    prices: { input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10 },
  });
  const llm: ScriptedLLM = { ...once, complete: (request) => tried(once, request, attempts) };
  return { llm, sent: () => once.requests };
}

async function tried(llm: ScriptedLLM, request: CompletionRequest, attempts: number): Promise<Completion> {
  try {
    return await llm.complete(request);
  } catch (error) {
    if (attempts <= 1 || !LLMError.isInstance(error) || !error.isRetryable) throw error;
    request.onDelta?.({ type: 'restart', reason: error.message });
    return tried(llm, request, attempts - 1);
  }
}

const provider = 'scripted';
const never = new Promise<never>(() => undefined);

function scripted(turn: ScenarioTurn | undefined): ScriptedAnswer | Promise<ScriptedAnswer> {
  switch (turn?.type) {
    case 'answer': {
      const { text, thinking, toolCalls, finishReason, reportsUsage } = turn;
      const thinkingBlocks = [
        { type: 'thinking' as const, thinking: thinking ?? '', signature: 'signed-by-the-script' },
      ];
      const ofThinking = thinking === undefined ? {} : { thinkingBlocks };
      const named = toolCalls.map((call) => (call.name === '' ? { ...call, name: unnamedToolName } : call));
      return { text, toolCalls: named, finishReason, ...ofThinking, usageIsEstimated: !reportsUsage };
    }
    case 'stall':
      return { text: turn.text, until: never };
    case 'cut':
      return { text: turn.text, endsIn: new ServiceUnavailableError('the connection was lost', { provider }) };
    case 'wrong-key':
      return new AuthenticationError('the key is wrong', { provider, statusCode: 401 });
    case 'rate-limit':
      return new RateLimitError('wait', { provider, kind: 'rate', retryAfterMs: turn.retryAfterSeconds * 1_000 });
    case 'overflow':
      return new ContextWindowExceededError('too large', { provider, kind: 'input' });
    case 'failure':
      return new ServiceUnavailableError('failed', { provider, statusCode: 500 });
    case 'silence':
    case undefined:
      return never;
  }
}
