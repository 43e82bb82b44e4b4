import { createEvent, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';
import { secretMask } from './secrets/mask.js';

const rule = 'Use tabs.';

/** A rule that the view must show. */
function context(view: View) {
  if ([...view.events].some((event) => event.type === 'message' && event.sender === 'rule')) return [];
  return [
    createEvent('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: rule }],
      sender: 'rule',
    }),
  ];
}

const all: Condenser = {
  name: 'all',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest ? condensation({ view, start: 1, end: view.events.length, summary: 'S' }) : view,
};

const ofType = (events: Iterable<Event>, type: string) => [...events].filter((event) => event.type === type);

test('context is set-up: a condensation between two runs leaves it, and the next run does not repeat it', async () => {
  const llm = scriptedLLM({ script: ['One.', 'Two.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, condenser: all, context }) });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.send('On.');
  await conversation.condense();
  expect(conversation.view.condensations).toHaveLength(1);
  await conversation.run();
  expect(JSON.stringify(llm.requests.at(-1)?.messages).split(rule)).toHaveLength(2);
});

test('context that is missing because the process died after a condensation is appended by the next run', async () => {
  const store = memoryEventStore();
  const llm = scriptedLLM({ script: ['One.', 'Two.'] });
  const options = { agent: new Agent({ llm, context }), conversationId: 'c', store };
  const before = await Conversation.open(options);
  await before.send('Go.');
  await before.run();
  await before.send('On.');
  const forgottenEventIds = ofType(before.events, 'message').flatMap((event) =>
    event.source === 'environment' ? [event.id] : [],
  );
  await before.events.append(createEvent('condensation', { forgottenEventIds, metadata: {} }));
  const after = await Conversation.open(options);
  await after.run();
  expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain(rule);
});

test('instructions that hold a secret are in the log once, with the secret hidden', async () => {
  const value = 'hunter2-hunter2';
  const store = memoryEventStore();
  const agent = () => new Agent({ llm: scriptedLLM({ script: ['Done.'] }), systemPrompt: `The token is ${value}.` });
  const open = () =>
    Conversation.open({ agent: agent(), conversationId: 'c', store, secrets: secretMask({ TOKEN: value }) });
  for (const words of ['One.', 'Two.']) {
    const conversation = await open();
    await conversation.send(words);
    await conversation.run();
    expect(ofType(conversation.events, 'system-prompt')).toMatchObject([
      { systemPrompt: 'The token is [secret TOKEN].' },
    ]);
  }
});

test('a log that has forgotten all messages of the user: the latest one is sent again, and no older one', async () => {
  const llm = scriptedLLM({ script: ['One.', 'Two.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  const blank = createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text: ' ' }] });
  await conversation.send('Delete the old database.');
  await conversation.run();
  await conversation.send('Now write the README.');
  await conversation.events.append(blank);
  const forgottenEventIds = [...conversation.view.events].map(({ id }) => id);
  await conversation.events.append(
    createEvent('condensation', { forgottenEventIds, summary: 'The database was deleted.', summaryOffset: 0 }),
  );
  await conversation.run();
  const said = JSON.stringify(llm.requests.at(-1)?.messages);
  expect(said).toContain('Now write the README.');
  expect(said).not.toContain('Delete the old database.');
});
