import { createEvent, defineTool, wellFormedJson } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';

const half = 'a \ud83d';
const sound = 'a \ufffd';

/** A tool whose output, errors and events hold text that no provider accepts. */
const careless = defineTool({
  name: 'careless',
  description: half,
  eventTypes: ['acme/note'],
  input: z.object({ text: z.string(), fails: z.boolean().optional() }),
  execute: async ({ text, fails }, { append }) => {
    await append(createEvent('acme/note', { source: 'environment', [half]: text }));
    if (fails === true) throw new Error(half);
    return { content: [{ type: 'text', text }], details: { [half]: text } };
  },
});

const forgetful: Condenser = {
  name: 'forgetful',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest
      ? condensation({ view, start: 2, end: view.events.length, summary: half, metadata: { [half]: half } })
      : view,
};

const isSound = (event: Event) => wellFormedJson(event) === event;

test('words of a model, a tool, a hook, a condenser and the user are logged as well-formed text', async () => {
  const llm = scriptedLLM({
    script: [
      {
        text: half,
        thinkingBlocks: [{ type: 'thinking', thinking: half, signature: 's' }],
        reasoningContent: half,
        toolCalls: [
          { id: '\ud83d', name: 'careless', arguments: '{"text":"\\ud83d"}' },
          { name: 'careless', arguments: { text: half, fails: true } },
          { name: `no such ${half}`, arguments: `{"text":"${half}` },
        ],
      },
      half,
      half,
    ],
  });
  const agent = new Agent({
    llm,
    systemPrompt: half,
    tools: [careless],
    condenser: forgetful,
    hooks: { afterToolUse: () => ({ note: half }), afterCondensation: () => ({ note: half }) },
  });
  const conversation = await Conversation.open({ agent });
  await conversation.send(half);
  await conversation.run();
  const count = conversation.events.length;
  await conversation.condense();
  await conversation.send(half);
  await conversation.run();

  const log = [...conversation.events];
  expect(log.filter((event) => !isSound(event))).toEqual([]);
  const [first] = log.filter((event) => event.type === 'action');
  // The model's text is well-formed; only the parsed value is not.
  expect(first).toMatchObject({ thought: [{ text: sound }], toolCall: { arguments: '{"text":"\\ud83d"}' } });
  expect(first).not.toHaveProperty('thinkingBlocks');
  expect(log.filter((event) => event.type === 'observation')).toMatchObject([
    {
      toolCallId: '\ufffd',
      content: [{ text: '\ufffd' }],
      details: { [sound]: '\ufffd' },
      extendedContent: [{ text: sound }],
    },
  ]);
  expect(log.filter(({ type }) => type === 'acme/note')).toHaveLength(2);
  expect(log.find(({ type }) => type === 'condensation')).toMatchObject({
    summary: sound,
    metadata: { [sound]: sound },
  });
  // The instructions are the agent's, and are not appended again.
  expect(log.filter(({ type }) => type === 'system-prompt')).toHaveLength(1);
  expect(count).toBeLessThan(log.length);
});

test('stored events stay as they are, in a fork too, and are sent well-formed', async () => {
  const llm = scriptedLLM({ script: ['Yes.', 'Yes.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm }) });
  const foreign = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: [{ type: 'text', text: half }],
    thinkingBlocks: [{ type: 'redacted-thinking', data: half }],
  });
  await conversation.events.append(foreign);
  const fork = await conversation.fork();
  await fork.send('Go.');
  await fork.run();
  expect(fork.events.get(foreign.id)).toEqual(foreign);
  expect(llm.requests[0]?.messages).toContainEqual({ role: 'assistant', content: [{ type: 'text', text: sound }] });
});
