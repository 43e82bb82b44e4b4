import { createEvent, memoryEventStore } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { CondensationNotInForceError } from '../errors.js';

const onRequest: Condenser = {
  name: 'on request',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest ? condensation({ view, start: 2, end: view.events.length, summary: 'S' }) : view,
};

async function condensed(llm: LLM = scriptedLLM({ script: ['A fact.', 'So.'] })) {
  const store = memoryEventStore();
  const agent = new Agent({ llm, systemPrompt: 'Work.', condenser: onRequest });
  const conversation = await Conversation.open({ agent, store, conversationId: 'c' });
  await conversation.send('Look around.');
  await conversation.run();
  await conversation.send('Go on.');
  const made = await conversation.condense();
  if (made === undefined) throw new Error('nothing was condensed');
  return { agent, store, conversation, id: made.id };
}

test('what was forgotten is shown again, from the next step on and after the log is read again', async () => {
  const llm = scriptedLLM({ script: ['A fact.', 'So.'] });
  const { agent, store, conversation, id } = await condensed(llm);
  expect(JSON.stringify(conversation.view.toMessages())).not.toContain('A fact.');
  await conversation.revert(id);
  expect(conversation.view.condensations.some((event) => event.id === id)).toBe(false);
  // The answered request is not acted on again.
  expect(conversation.view.unhandledCondensationRequest).toBe(false);
  expect(await conversation.run()).toMatchObject({ condensations: 0 });
  expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain('A fact.');
  expect([...conversation.events].filter(({ type }) => type === 'condensation-revert')).toMatchObject([
    { condensationId: id, source: 'user' },
  ]);
  const again = await Conversation.open({ agent, store, conversationId: 'c' });
  expect(again.view.toMessages()).toEqual(conversation.view.toMessages());
});

test('an unknown id, that of another event, and a reverted one are typed errors, and nothing is appended', async () => {
  const { conversation, id } = await condensed();
  const another = [...conversation.events][0]?.id ?? '';
  for (const wrong of ['nowhere', another]) {
    const { length } = conversation.events;
    const reverting = conversation.revert(wrong);
    await expect(reverting).rejects.toThrow(CondensationNotInForceError);
    await expect(reverting).rejects.toMatchObject({
      code: 'condensation-not-in-force',
      condensationId: wrong,
      reason: 'unknown',
    });
    expect(conversation.events).toHaveLength(length);
  }
  const both = await Promise.allSettled([conversation.revert(id), conversation.revert(id)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(conversation.revert(id)).rejects.toMatchObject({ reason: 'reverted' });
  expect([...conversation.events].filter(({ type }) => type === 'condensation-revert')).toHaveLength(1);
});

test('not during a run', async () => {
  const problems: unknown[] = [];
  const llm = scriptedLLM({
    script: async (_, index) => {
      if (index === 1) await opened.conversation.revert(opened.id).catch((error: unknown) => problems.push(error));
      return index === 0 ? 'A fact.' : 'So.';
    },
  });
  const opened = await condensed(llm);
  await opened.conversation.run();
  expect(problems).toMatchObject([{ code: 'conversation-busy', conversationId: 'c' }]);
  expect(opened.conversation.view.condensations).toHaveLength(1);
});

test('it waits for a condensation that is being made', async () => {
  let release = (): void => undefined;
  const { conversation, id } = await condensed();
  const held = new Promise<void>((resolve) => (release = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const condenser: Condenser = {
    ...onRequest,
    condense: async (view) => {
      begin();
      await held;
      return createEvent('condensation', { forgottenEventIds: [view.events.at(-1)?.id ?? ''] });
    },
  };
  const fork = await conversation.fork({ agent: new Agent({ llm: scriptedLLM({ script: [] }), condenser }) });
  await fork.events.append(
    createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text: 'A note.' }] }),
  );
  const condensing = fork.condense();
  await begun;
  const reverting = fork.revert(id);
  release();
  const made = await condensing;
  await reverting;
  const types = [...fork.events].map((event) => event.type);
  expect(types.slice(-3)).toEqual(['condensation-request', 'condensation', 'condensation-revert']);
  expect([...fork.events].at(-2)?.id).toBe(made?.id);
});

describe('the condenser rests after a revert', () => {
  /** Condenses whenever there are more than three events, and says so. */
  const eager = (seen: boolean[]): Condenser => ({
    name: 'eager',
    handlesCondensationRequests: true,
    condense: (view, { preview = false }) => {
      seen.push(preview);
      if (preview || (view.events.length < 5 && !view.unhandledCondensationRequest)) return view;
      return condensation({ view, start: 2, end: view.events.length - 1, summary: 'S' });
    },
  });

  async function takenBack(answers: readonly string[], contextWindow: number, make?: Condenser) {
    const seen: boolean[] = [];
    const llm = scriptedLLM({ script: ['First.', 'Second.', ...answers], contextWindow });
    const agent = new Agent({ llm, systemPrompt: 'Work.', condenser: make ?? eager(seen) });
    const store = memoryEventStore();
    const conversation = await Conversation.open({ agent, store, conversationId: 'c' });
    for (const words of ['One.', 'Two.']) {
      await conversation.send(words);
      await conversation.run();
    }
    const made = conversation.view.condensations.at(-1)?.id ?? (await conversation.condense())?.id ?? '';
    await conversation.revert(made);
    seen.length = 0;
    const say = async (words: string) => {
      await conversation.send(words);
      return conversation.run();
    };
    return { agent, store, conversation, say, seen, llm };
  }

  test('it makes none until one is requested, after a restart neither; then it decides as before', async () => {
    const { agent, store, say, seen, llm } = await takenBack(['Third.', 'Fourth.', 'Fifth.', 'Sixth.'], 100_000);
    expect(await say('Three.')).toMatchObject({ condensations: 0 });
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain('First.');
    const again = await Conversation.open({ agent, store, conversationId: 'c' });
    await again.send('Four.');
    expect(await again.run()).toMatchObject({ condensations: 0 });
    expect(seen).toEqual([true, true]);
    expect(await again.condense()).toMatchObject({ summary: 'S' });
    await again.send('Five.');
    await again.run();
    await again.send('Six.');
    expect(await again.run()).toMatchObject({ condensations: 1 });
    expect(seen.slice(2)).not.toContain(true);
  });

  test('it acts when the history fills the window', async () => {
    const { say, seen } = await takenBack(['Third.', 'Fourth.'], 1_000);
    expect(await say('Three.')).toMatchObject({ condensations: 0 });
    expect(await say('x'.repeat(3_600))).toMatchObject({ condensations: 1 });
    expect(seen.slice(0, 2)).toEqual([true, false]);
  });

  test('one that condenses for a preview is not followed', async () => {
    const deaf: Condenser = { ...eager([]), condense: (view) => eager([]).condense(view, {}) };
    const { say } = await takenBack(['Third.'], 100_000, deaf);
    expect(await say('Three.')).toMatchObject({ condensations: 0 });
  });
});
