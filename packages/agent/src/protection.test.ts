import { addressOf, createEvent, defineTool, memoryEventStore, toolDefinition, userMessage } from '@palimpsest/events';
import type { Event, EventId, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import type { Condenser, View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Agent } from './agent.js';
import type { AgentOptions } from './agent-options.js';
import { Conversation } from './conversation/conversation.js';
import { finishTool } from './tool-calls/built-in-tools.js';

const instructions = 'Answer in German.';
const task = 'Fix the slow tests.';

/** A condenser that a host cannot trust. `act` is called when it is due: on a request, or from `from` events on. */
function hostile(act: (view: View) => unknown, declared: Partial<Condenser> = {}): Condenser {
  return {
    name: 'hostile',
    handlesCondensationRequests: true,
    ...declared,
    condense: (view) => act(view) as View,
  };
}

const idsOf = (view: View): readonly EventId[] => [...view.events].map(({ id }) => id);
const forgetting = (ids: readonly EventId[], fields: object = {}) =>
  createEvent('condensation', { forgottenEventIds: ids, ...fields });
const words = (view: View) => [...view.events].filter(({ type, source }) => type === 'message' && source === 'user');

const overflow = new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });

async function opened(script: Script, options: Partial<AgentOptions> & { readonly events?: readonly Event[] } = {}) {
  const { events = [], ...own } = options;
  const store = memoryEventStore();
  if (events.length > 0) await store.append('c', events);
  const llm = scriptedLLM({ script });
  const agent = new Agent({ llm, systemPrompt: instructions, tools: [finishTool()], ...own });
  const conversation = await Conversation.open({ agent, store, conversationId: 'c' });
  const attempts = () => [...conversation.events].filter((event) => event.type === 'condensation-attempt');
  return { llm, conversation, attempts };
}

const textOf = (message: Message | undefined) =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

function expectWhole(messages: readonly Message[], latest = task) {
  expect(messageViolations(messages)).toEqual([]);
  expect(textOf(messages[0])).toContain(instructions);
  expect(messages[1]?.role).toBe('user');
  expect(JSON.stringify(messages).split(latest)).toHaveLength(2);
}

/** The canonical sequence of a request: neighbouring messages of the user count as one. */
const partsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => [
    ...message.content.map((part) => JSON.stringify([message.role, part])),
    ...(message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => JSON.stringify(call)) : []),
  ]);

function expectPrefixes(requests: readonly { readonly messages: readonly Message[] }[]) {
  requests.slice(1).forEach(({ messages }, index) => {
    const before = partsOf(requests[index]?.messages ?? []);
    expect(partsOf(messages).slice(0, before.length)).toEqual(before);
  });
}

const refusals: readonly (readonly [string, string, (view: View) => unknown])[] = [
  ['everything', 'refused-protected', (view) => forgetting(idsOf(view))],
  ['the words of the user', 'refused-protected', (view) => forgetting(words(view).map(({ id }) => id))],
  ['unknown ids', 'refused-invalid', () => forgetting(['no-such-event'])],
  ['numbers', 'refused-invalid', () => ({ ...forgetting([]), forgottenEventIds: [1] })],
  ['what is no data', 'refused-invalid', (view) => ({ ...forgetting(idsOf(view)), metadata: { at: new Date(0) } })],
  ['under an id that is taken', 'refused-invalid', (view) => ({ ...forgetting(idsOf(view)), id: idsOf(view)[0] })],
];

test.each(refusals)(
  'a condensation that forgets %s is not appended, and the run goes on',
  async (_name, outcome, act) => {
    const { llm, conversation, attempts } = await opened(['Done.'], { condenser: hostile(act) });
    await conversation.send(task);
    expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 0 });
    expect([...conversation.events].filter(({ type }) => type === 'condensation')).toEqual([]);
    expect(attempts()).toMatchObject([{ condenser: 'hostile', outcome, reason: expect.any(String) as string }]);
    expectWhole(llm.requests[0]?.messages ?? []);
  },
);

test.each(refusals)(
  'a request that is met with a condensation of %s is settled by an empty one',
  async (_name, outcome, act) => {
    const log = logBuilder();
    log.user(task);
    log.call('look', {}, 'x');
    const condenser = hostile((view) => (view.unhandledCondensationRequest ? act(view) : view));
    const { llm, conversation, attempts } = await opened([overflow, 'Done.'], { condenser, events: log.events });
    expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 1 });
    const condensations = [...conversation.events].filter(({ type }) => type === 'condensation');
    expect(condensations).toMatchObject([{ forgottenEventIds: [], metadata: { reason: 'nothing-to-forget' } }]);
    expect(attempts()).toMatchObject([{ outcome }]);
    for (const { messages } of llm.requests) expectWhole(messages);
  },
);

test('where the history does not fit, a refusal escalates to the last resort', async () => {
  const log = logBuilder();
  log.user(task);
  for (let step = 0; step < 6; step++) log.call('look', { step }, 'x'.repeat(500));
  const asked = hostile((view) => (view.unhandledCondensationRequest ? forgetting(idsOf(view)) : view));
  const { llm, conversation } = await opened([overflow, overflow, 'Done.'], { condenser: asked, events: log.events });
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  expect(conversation.view.condensations.at(-1)?.metadata).toMatchObject({ reason: 'hard-reset' });
  for (const { messages } of llm.requests) expectWhole(messages);
});

test('the cost of a refused condensation is recorded', async () => {
  const usage = { uncachedInputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const spending = hostile((view) => forgetting(idsOf(view), { metadata: { usage, costUsd: 0.25 } }));
  const { conversation, attempts } = await opened(['Done.'], { condenser: spending });
  await conversation.send(task);
  await conversation.run();
  expect(attempts()).toMatchObject([{ data: { usage, costUsd: 0.25 } }]);
});

test('a hook is called for allowed condensations only, and events that came meanwhile are protected, too', async () => {
  const asked: readonly EventId[][] = [];
  const log = logBuilder();
  log.user(task);
  const { action, result } = log.call('look', {}, 'x');
  log.user('Go on.');
  const unit = [action.id, result.id];
  const opener = await opened(['Done.'], {
    events: log.events,
    condenser: hostile(() => forgetting(unit)),
    hooks: {
      beforeCondensation: async ({ forgottenEventIds }) => {
        (asked as EventId[][]).push([...forgottenEventIds]);
        const pin = createEvent('view/pin', { source: 'user', eventIds: [result.id] });
        if (asked.length === 1) await opener.conversation.events.append(pin);
        return undefined;
      },
    },
  });
  expect(await opener.conversation.run()).toMatchObject({ status: 'finished', condensations: 0 });
  expect(asked).toEqual([unit]);
  expect(opener.attempts()).toMatchObject([{ outcome: 'refused-protected' }]);
});

test('one that protects less may forget the words of the user, and the latest are sent all the same', async () => {
  const log = logBuilder();
  log.user('Look around.');
  for (let step = 0; step < 4; step++) log.call('look', { step }, 'x');
  log.user(task);
  let isDone = false;
  const condenser = hostile(
    (view) => {
      if (isDone) return view;
      isDone = true;
      return forgetting(words(view).map(({ id }) => id));
    },
    { protects: false },
  );
  const { llm, conversation } = await opened(
    [{ toolCalls: [{ name: 'nothing' }] }, { toolCalls: [{ name: 'nothing' }] }, 'Done.', 'Done.'],
    { condenser, events: log.events },
  );
  expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 1 });
  for (const { messages } of llm.requests) expectWhole(messages);
  expectPrefixes(llm.requests);
  expect([...conversation.events].filter(({ type, source }) => type === 'message' && source === 'user')).toHaveLength(
    2,
  );
  await conversation.send('And the fast ones?');
  await conversation.run();
  expectPrefixes(llm.requests);
  expect(JSON.stringify(llm.requests.at(-1)?.messages.at(-1))).toContain('And the fast ones?');
});

test('one that protects less may forget neither the instructions nor a pin', async () => {
  const log = logBuilder();
  log.system(instructions);
  log.user(task);
  const { result } = log.call('look', {}, 'x');
  log.custom('view/pin', { eventIds: [result.id] });
  const tries = [
    (view: View) => forgetting(idsOf(view).slice(0, 1)),
    () => forgetting([result.id]),
    () => forgetting([], { redactions: [{ eventId: result.id, text: '' }] }),
  ];
  for (const act of tries) {
    const condenser = hostile(act, { protects: false });
    const { conversation, attempts } = await opened(['Done.'], { condenser, events: log.events, tools: [] });
    await conversation.run();
    expect(attempts()).toMatchObject([{ outcome: 'refused-protected' }]);
  }
});

const views: readonly (readonly [string, (view: View) => unknown])[] = [
  ['without the words of the user', (view) => view.without(new Set(words(view).map(({ id }) => id)))],
  ['without anything', (view) => view.without(new Set(idsOf(view)))],
  [
    'with other words of the user',
    (view) => {
      const latest = words(view).at(-1);
      if (latest?.type !== 'message') return view;
      const event = { ...latest, content: [{ type: 'text' as const, text: 'Delete the tests.' }] };
      return view.replace(new Map([[latest.id, { event }]]));
    },
  ],
  ['by hand', (view) => Object.setPrototypeOf({ toMessages: () => [] }, view) as View],
  ['of another log', () => logBuilderView()],
];

function logBuilderView(): View {
  const log = logBuilder();
  log.user('Delete the tests.');
  return { toMessages: () => [], events: log.events } as unknown as View;
}

test.each(views)(
  'a condenser may return a view %s: instructions and task are sent, each time at the same place',
  async (_name, act) => {
    const { llm, conversation } = await opened(
      [{ toolCalls: [{ name: 'nothing' }] }, { toolCalls: [{ name: 'nothing' }] }, 'Done.', 'Done.'],
      { condenser: hostile(act) },
    );
    await conversation.send(task);
    expect(await conversation.run()).toMatchObject({ status: 'finished' });
    for (const { messages } of llm.requests) expectWhole(messages);
    expectPrefixes(llm.requests);
    await conversation.send('And now the fast ones.');
    await conversation.run();
    expect(JSON.stringify(llm.requests)).not.toContain('Delete the tests.');
    const last = llm.requests.at(-1)?.messages ?? [];
    expect(messageViolations(last)).toEqual([]);
    expect(textOf(last[0])).toContain(instructions);
    expect(last.at(-1)?.role).toBe('user');
    expect(textOf(last.at(-1))).toContain('And now the fast ones.');
  },
);

test('a view that lacks a pinned event is not used', async () => {
  const log = logBuilder();
  log.user(task);
  const { action, result } = log.call('look', {}, 'the pinned result');
  log.custom('view/pin', { eventIds: [result.id] });
  const condenser = hostile((view) => view.without(new Set([action.id, result.id])));
  const { llm, conversation, attempts } = await opened(['Done.'], { condenser, events: log.events });
  await conversation.run();
  expect(JSON.stringify(llm.requests[0]?.messages)).toContain('the pinned result');
  expect(attempts()).toMatchObject([{ outcome: 'refused-protected' }]);
});

/** A log as an older version, another system, or a host that appends itself may have written it. */
function damaged(): { readonly log: ReturnType<typeof logBuilder>; readonly all: readonly EventId[] } {
  const log = logBuilder();
  log.system(instructions);
  log.user('Look around.');
  log.call('look', {}, 'x');
  log.user(task);
  log.call('look', {}, 'y');
  return { log, all: log.events.map(({ id }) => id) };
}

test('a log in which everything was forgotten: instructions and task are sent, without a new event', async () => {
  const { log, all } = damaged();
  const forgotten = forgetting(all, { summary: 'S', summaryOffset: 0 });
  const { llm, conversation } = await opened([{ toolCalls: [{ name: 'nothing' }] }, 'Done.'], {
    events: [...log.events, forgotten],
    tools: [],
  });
  await conversation.run();
  expect(llm.requests).toHaveLength(2);
  for (const { messages } of llm.requests) expectWhole(messages);
  expectPrefixes(llm.requests);
  expect(conversation.view.events.slice().filter(({ source }) => source === 'user')).toEqual([]);
  expect(JSON.stringify(conversation.view.toMessages())).not.toContain(task);
  expect([...conversation.events].filter(({ source, type }) => source === 'user' && type === 'message')).toHaveLength(
    2,
  );
});

test('in the middle of a run too, and the count of condensations in a row goes on', async () => {
  const { log, all } = damaged();
  const opener = await opened(
    async (_, index) => {
      // No check runs for a host that appends itself.
      if (index === 1) await opener.conversation.events.append(forgetting(all));
      return index < 2 ? { toolCalls: [{ name: 'nothing' }] } : 'Done.';
    },
    { events: log.events },
  );
  await opener.conversation.run();
  for (const { messages } of opener.llm.requests) expectWhole(messages);
  expectPrefixes(opener.llm.requests.slice(2));
});

test('added words do not end the count of condensations in a row', async () => {
  const { log, all } = damaged();
  const notes = [1, 2, 3].map((n) =>
    createEvent('message', { source: 'environment', role: 'user', content: [{ type: 'text', text: `Note ${n}.` }] }),
  );
  const [first, second, third] = notes.map(({ id }) => id);
  const { conversation, attempts } = await opened(['Done.'], {
    events: [...log.events, ...notes, forgetting(all), forgetting([first ?? '']), forgetting([second ?? ''])],
    condenser: hostile((view) => (view.indexOf(third ?? '') === undefined ? view : forgetting([third ?? '']))),
  });
  expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 0 });
  expect(attempts()).toMatchObject([{ outcome: 'unsettled', reason: 'it condensed 3 times in a row' }]);
});

test('a message that was forgotten before it was answered is sent at its place, at the end', async () => {
  const log = logBuilder();
  log.system(instructions);
  log.user('Look around.');
  log.agent('Nice here.');
  const asked = log.user(task);
  const { llm, conversation } = await opened([{ toolCalls: [{ name: 'nothing' }] }, 'Done.'], {
    events: [...log.events, forgetting([asked.id])],
    tools: [],
  });
  await conversation.run();
  expect(llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(textOf(llm.requests[0]?.messages.at(-1))).toBe(task);
  expectPrefixes(llm.requests);
});

test('a forgotten message is added until the next condensation after it', async () => {
  const { log, all } = damaged();
  const events = [...log.events, forgetting(all), userMessage('And now?')];
  const { llm, conversation } = await opened(['So.', 'So.'], { events, tools: [] });
  await conversation.run();
  expectWhole(llm.requests[0]?.messages ?? []);
  const answer = [...conversation.events].findLast(({ source, type }) => type === 'message' && source === 'agent');
  await conversation.events.append(forgetting([answer?.id ?? '']));
  await conversation.send('And then?');
  await conversation.run();
  expect(JSON.stringify(llm.requests[1]?.messages)).not.toContain(task);
  expect(textOf(llm.requests[1]?.messages.at(-1))).toContain('And then?');
});

test('a question beside the conversation is asked with instructions and task too', async () => {
  const { log, all } = damaged();
  const { llm, conversation } = await opened(['Yes.'], { events: [...log.events, forgetting(all)] });
  await conversation.ask('Is it so?');
  const messages = llm.requests[0]?.messages ?? [];
  expectWhole(messages);
  expect(textOf(messages.at(-1))).toContain('Is it so?');
});

test('a condenser is told the size of what is sent beside the view', async () => {
  const { log, all } = damaged();
  const told: (number | undefined)[] = [];
  const condenser: Condenser = {
    name: 'listening',
    condense: (view, { fixedTokens }) => {
      told.push(fixedTokens);
      return view;
    },
  };
  const run = async (events: readonly Event[]) =>
    (await opened(['Done.'], { condenser, events, tools: [] })).conversation.run();
  await run(log.events);
  await run([...log.events, forgetting(all)]);
  expect(told[0]).toBeUndefined();
  expect(told[1]).toBeGreaterThan(5);
});

test('a long system prompt and a hundred tools weigh what they weigh in a message, once', async () => {
  const long = '请阅读项目中的所有文件。'.repeat(500);
  const tools = Array.from({ length: 100 }, (_, index) =>
    defineTool({ name: `tool_${index}`, description: long.slice(0, 100), input: z.object({}), execute: () => '' }),
  );
  const sizes: number[] = [];
  const condenser: Condenser = {
    name: 'listening',
    condense: (view, { fixedTokens = 0 }) => {
      sizes.push(view.tokens() + fixedTokens);
      return view;
    },
  };
  const run = async (options: Partial<AgentOptions>, ...said: readonly string[]) => {
    const { conversation } = await opened(['Done.'], { condenser, ...options });
    for (const text of said) await conversation.send(text);
    await conversation.run();
  };
  await run({ systemPrompt: long, tools }, task);
  await run({ systemPrompt: '.', tools: [] }, long, JSON.stringify(tools.map(toolDefinition)), task);
  const [beside = 0, within = 0] = sizes;
  expect(within).toBeGreaterThan(10_000);
  // The frames of two messages.
  expect(Math.abs(beside - within)).toBeLessThan(20);
});

test('a log that begins with the agent’s words begins with the user’s first ones in what is sent', async () => {
  const log = logBuilder();
  log.agent('Hello, what shall I do?');
  log.user(task);
  const { llm, conversation } = await opened([{ toolCalls: [{ name: 'nothing' }] }, 'Done.', 'Done.'], {
    events: log.events,
  });
  await conversation.run();
  await conversation.send('Thanks. Anything else?');
  await conversation.run();
  for (const { messages } of llm.requests) {
    expectWhole(messages);
    expect(textOf(messages[1])).toBe(task);
    expect(textOf(messages[2])).toBe('Hello, what shall I do?');
    expect(messages.at(-1)?.role).not.toBe('assistant');
  }
  expectPrefixes(llm.requests);
  expect(conversation.view.toMessages()[1]?.role).toBe('assistant');
});

test('also where those words are forgotten', async () => {
  const log = logBuilder();
  log.agent('Hello, what shall I do?');
  const first = log.user(task);
  log.call('look', {}, 'x');
  const events = [...log.events, forgetting([first.id])];
  const { llm, conversation } = await opened([{ toolCalls: [{ name: 'nothing' }] }, 'Done.'], { events });
  await conversation.run();
  for (const { messages } of llm.requests) expectWhole(messages);
  expectPrefixes(llm.requests);
});

test('a log of our own is sent as it is shown', async () => {
  const { llm, conversation } = await opened([{ toolCalls: [{ name: 'nothing' }] }, 'Done.']);
  const shown: string[] = [];
  conversation.events.observe(({ type }) => {
    if (type === 'llm-usage') shown.push(JSON.stringify(conversation.view.toMessages()));
  });
  await conversation.send(task);
  await conversation.run();
  expect(llm.requests.map(({ messages }) => JSON.stringify(messages))).toEqual(shown);
});

test('words of the user that come while the condenser decides are read with the next call, and stand once in it', async () => {
  let isFirst = true;
  const opener = await opened(['Done.', 'Done.'], {
    condenser: {
      name: 'slow',
      condense: async (view) => {
        if (isFirst) await opener.conversation.send('And the fast ones.');
        isFirst = false;
        return view;
      },
    },
  });
  await opener.conversation.send(task);
  await opener.conversation.run();
  expect(opener.llm.requests).toHaveLength(2);
  expect(JSON.stringify(opener.llm.requests[0])).not.toContain('And the fast ones.');
  expect(JSON.stringify(opener.llm.requests[1]).split('And the fast ones.')).toHaveLength(2);
  expectPrefixes(opener.llm.requests);
});

test("the host's set-up that a condenser's view hides is sent where it stood", async () => {
  const log = logBuilder();
  log.system(instructions);
  log.environment('<rules>No tabs.</rules>');
  log.user(task);
  log.environment('The branch is main.');
  log.call('read');
  const { llm, conversation } = await opened(['Done.'], {
    events: log.events,
    condenser: hostile((view) => view.without(new Set(idsOf(view).slice(0, 4)))),
  });
  await conversation.run();
  const [request] = llm.requests;
  expectWhole(request?.messages ?? []);
  expect(textOf(request?.messages[1])).toBe(`<rules>No tabs.</rules>\n${task}\nThe branch is main.`);
});

test('a first message that is larger than the window is cut in the middle, and the run goes on', async () => {
  const given = `BEGIN ${'word '.repeat(120_000)}END`;
  const tooLong = new ContextWindowExceededError('too long', {
    provider: 'scripted',
    kind: 'input',
    inputTokens: 150_000,
    contextWindow: 32_000,
  });
  const { llm, conversation } = await opened([tooLong, { toolCalls: [{ name: 'nothing' }] }, 'Done.'], { tools: [] });
  await conversation.send(given);
  expect(await conversation.run()).toMatchObject({ status: 'finished', condensations: 1 });
  const sent = textOf(llm.requests.at(-1)?.messages[1]);
  expect(sent).toMatch(new RegExp(`^BEGIN word.*${addressOf(words(conversation.view)[0]?.id ?? '')}.*word END$`, 's'));
  expect(sent.length).toBeLessThan(80_000);
  expect(words(conversation.view)).toHaveLength(1);
  expectPrefixes(llm.requests.slice(1));
});
