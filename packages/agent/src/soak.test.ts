import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import {
  ContentPolicyError,
  ContextWindowExceededError,
  estimateInputTokens,
  MalformedHistoryError,
  ServiceUnavailableError,
} from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';

/** `npm test` meets the first half of the session, CI's thorough run all: `.ci/run`. Unit: answered model calls. */
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
const steps = isThorough ? 600 : 300;
const contextWindow = 6_000;

/** The same random numbers every time, between 0 and 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const rolling: Condenser = {
  name: 'rolling',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.events.length > 60 || view.unhandledCondensationRequest
      ? condensation({ view, start: 2, end: view.events.length - 10, summary: 'What was done before.' })
      : view,
};

test(`${steps} steps with every kind of fault: no refused request, no lost event, a view within bounds`, async () => {
  const next = random(20_261_121);
  const chance = (probability: number) => next() < probability;
  let conversation: Conversation | undefined;
  const work = defineTool({
    name: 'work',
    description: '',
    input: z.object({ what: z.string() }),
    annotations: { parallel: true },
    execute: async ({ what }, { signal }) => {
      if (chance(0.1)) await new Promise(setImmediate);
      if (chance(0.02)) conversation?.interrupt();
      signal?.throwIfAborted();
      if (chance(0.1)) throw new Error(`${what} failed`);
      return `${what} `.repeat(1 + Math.floor(next() * (chance(0.02) ? 2_000 : 60)));
    },
  });
  const refused: string[] = [];
  const seen = { steps: 0, overflows: 0, errors: 0, longest: 0 };
  const llm = scriptedLLM({
    script: ({ messages, ...request }, index): ScriptedAnswer => {
      const violations = messageViolations(messages);
      if (violations.length > 0) {
        refused.push(`${index}: ${violations.join('; ')}`);
        return new MalformedHistoryError(violations.join('; '), { provider: 'scripted' });
      }
      if (estimateInputTokens({ messages, ...request }) > contextWindow) {
        seen.overflows++;
        return new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input', contextWindow });
      }
      if (chance(0.02)) return new ServiceUnavailableError('overloaded', { provider: 'scripted' });
      if (chance(0.01)) return new ContentPolicyError('refused', { provider: 'scripted' });
      seen.steps++;
      if (chance(0.03)) return '';
      if (chance(0.05)) return 'Done.';
      const calls = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, call) => ({
        name: chance(0.05) ? 'no_such_tool' : 'work',
        arguments: chance(0.05) ? '{"what": "cut' : { what: `step ${index}.${call}` },
        id: chance(0.1) ? 'the-same-id' : `call-${index}-${call}`,
      }));
      return {
        text: chance(0.3) ? `Next: ${index}.` : '',
        toolCalls: calls,
        ...(chance(0.3)
          ? { thinkingBlocks: [{ type: 'thinking' as const, thinking: 'hm', signature: `s${index}` }] }
          : {}),
      };
    },
  });
  const agent = new Agent({ llm, tools: [work], condenser: rolling, systemPrompt: 'Work.' });
  const store = memoryEventStore();
  const acknowledged: string[] = [];
  const open = async (): Promise<Conversation> => {
    const opened = await Conversation.open({ agent, store, conversationId: 'soak', limits: { maxIterations: 40 } });
    opened.events.observe((event) => acknowledged.push(event.id));
    return opened;
  };
  conversation = await open();
  while (seen.steps < steps) {
    if (chance(0.5) || conversation.status === 'finished' || conversation.status === 'stuck' || chance(0.2)) {
      await conversation.send(`Go on, ${seen.steps}.`);
    }
    try {
      await conversation.run();
    } catch {
      seen.errors++;
    }
    seen.longest = Math.max(seen.longest, conversation.view.events.length);
    // The process dies: its memory is gone.
    if (chance(0.3)) conversation = await open();
  }
  expect(refused).toEqual([]);
  const stored: Event[] = [];
  for await (const event of store.read('soak')) stored.push(event);
  expect(stored.map(({ id }) => id)).toEqual(acknowledged);
  // The bound of the condenser, and what a run of messages and a batch may add before it is called again.
  expect(seen.longest).toBeLessThan(100);
  expect(seen.overflows).toBeGreaterThan(isThorough ? 5 : 1);
  expect(seen.errors).toBeGreaterThan(isThorough ? 5 : 1);
  const kinds = new Set(stored.map(({ type }) => type));
  for (const type of ['agent-error', 'condensation-request', 'conversation-error', 'pause']) {
    expect(kinds).toContain(type);
  }
});
