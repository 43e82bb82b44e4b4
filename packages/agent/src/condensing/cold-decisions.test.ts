import { memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { modelFacts } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation, isCacheCold, View } from '@palimpsest/view';
import type { CondenseContext, Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';

const cacheLifeMs = 300_000;

/** Condenses whenever the cache is cold, and keeps what it was asked. */
function thrifty() {
  const asked: { readonly view: View; readonly context: CondenseContext; readonly isCold: boolean }[] = [];
  const condenser: Condenser = {
    name: 'thrifty',
    condense: (view, context) => {
      const isCold = isCacheCold(view, context);
      asked.push({ view, context, isCold });
      const end = view.cutPoints.atOrBefore(view.events.length - 1) ?? 0;
      const mayGo = view.condensations.length === 0 && end > 2;
      return isCold && mayGo ? condensation({ view, start: 2, end, summary: 'S' }) : view;
    },
  };
  const llm = { ...scriptedLLM({ script: () => 'Yes.' }), facts: modelFacts('claude-opus-5-5', 'anthropic') };
  return { asked, agent: new Agent({ llm, tools: [], systemPrompt: 'Answer.', condenser }) };
}

test('the clock is not asked: a restart, a fork and a replay decide as the agent did', async () => {
  const live = thrifty();
  const store = memoryEventStore();
  const conversation = await Conversation.open({ agent: live.agent, store, conversationId: 'c' });
  for (const words of ['One?', 'Two?', 'Three?']) {
    await conversation.send(words);
    await conversation.run();
  }
  // A day passes: the log is old, and nothing in it is newer than the last answer.
  const log: readonly Event[] = [...conversation.events].map((event) => ({
    ...event,
    timestamp: dayBefore(event.timestamp),
  }));
  const decisions: boolean[] = [];
  for (let end = 3; end <= log.length; end++) {
    const part = log.slice(0, end);
    const direct = isCacheCold(View.fromEvents(part), { cacheLifeMs });
    expect(direct).toBe(false);
    // Taken up again, by the same process or by another: the run's own first event has the time of today.
    const outcomes = await Promise.all(
      [0, 1].map(async () => {
        const own = memoryEventStore();
        await own.append('c', part);
        const again = thrifty();
        const resumed = await Conversation.open({ agent: again.agent, store: own, conversationId: 'c' });
        await resumed.send('And now?');
        await resumed.run();
        const forking = thrifty();
        const fork = await resumed.fork({ agent: forking.agent, conversationId: 'fork' });
        await fork.send('And here?');
        await fork.run();
        return [
          { ...again, events: [...resumed.events] },
          { ...forking, events: [...fork.events] },
        ];
      }),
    );
    for (const { asked, events } of outcomes.flat()) {
      expect(asked.length).toBeGreaterThan(0);
      for (const { view, context, isCold } of asked) {
        expect(context).not.toHaveProperty('now');
        const at = events.findLastIndex(
          ({ id }) => id === view.internalEvents.at(-1)?.id || id === view.events.at(-1)?.id,
        );
        expect(isCacheCold(View.fromEvents(events.slice(0, at + 1)), context)).toBe(isCold);
      }
    }
    const [first, second] = outcomes.map((both) => both.flatMap(({ asked }) => asked.map(({ isCold }) => isCold)));
    expect(first).toEqual(second);
    decisions.push(...(first ?? []));
  }
  expect(decisions).toContain(true);
  expect(decisions).toContain(false);
});

function dayBefore(timestamp: string): string {
  return new Date(Date.parse(timestamp) - 86_400_000).toISOString();
}
