import { createEvent, defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from './conversation.js';
import { secretMask } from '../secrets/mask.js';

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const typesIn = (conversation: Conversation) => [...conversation.events].map(({ type }) => type);

test('answers from what the model is shown, and only the usage goes into the log', async () => {
  const llm = scriptedLLM({
    script: [{ toolCalls: [{ name: 'echo', arguments: { text: 'blue' } }] }, 'Done.', 'It was blue.'],
  });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [echo] }) });
  await conversation.send('Go.');
  await conversation.run();
  const before = conversation.events.length;
  expect(await conversation.ask('Which colour was it?')).toBe('It was blue.');
  expect(typesIn(conversation).slice(before)).toEqual(['llm-usage']);
  expect(conversation.events.at(-1)).toMatchObject({ purpose: 'aside' });
  expect(llm.requests.at(-1)).toMatchObject({ toolChoice: 'none' });
  expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain('blue');
  expect(conversation.status).toBe('finished');
});

test("the condenser's cost is recorded, its condensation is not", async () => {
  const usage = { uncachedInputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };
  let isEager = false;
  const eager: Condenser = {
    name: 'eager',
    condense: (view, { report }) => {
      if (!isEager) return view;
      report?.({
        outcome: 'failed',
        reason: 'The first try was not parsed.',
        data: { model: 'm', usage, costUsd: 0.5 },
      });
      report?.({ outcome: 'near-miss', reason: 'Nothing was paid.' });
      return createEvent('condensation', {
        forgottenEventIds: condensation({ view, start: 1, end: view.events.length }).forgottenEventIds,
        metadata: { condenser: 'eager', model: 'm', usage, costUsd: 0.25 },
      });
    },
  };
  const llm = scriptedLLM({ script: ['Done.', 'Blue.'] });
  const conversation = await Conversation.open({ agent: new Agent({ llm, condenser: eager }) });
  await conversation.send('Go.');
  await conversation.run();
  const before = conversation.events.length;
  isEager = true;
  expect(await conversation.ask('Which colour?')).toBe('Blue.');
  expect([...conversation.events].slice(before)).toMatchObject([
    { type: 'condensation-attempt', outcome: 'aside', data: { model: 'm', usage, costUsd: 0.5 } },
    { type: 'condensation-attempt', outcome: 'aside', data: { model: 'm', usage, costUsd: 0.25 } },
    { type: 'llm-usage', purpose: 'aside' },
  ]);
});

test('no secret is sent or comes back, the tools are those of a run, and the condenser is called for a preview', async () => {
  const value = 'hunter2-hunter2';
  const previews: unknown[] = [];
  const condenser: Condenser = {
    name: 'looked-at',
    condense: (view, { preview }) => {
      previews.push(preview);
      return view;
    },
  };
  const tool = { ...echo, description: `Echoes as ${value}.` };
  const llm = scriptedLLM({ script: ['Done.', `It was ${value}.`] });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [tool], condenser }),
    secrets: secretMask({ PASSWORD: value }),
  });
  await conversation.send('Go.');
  await conversation.run();
  expect(await conversation.ask(`Is it ${value}?`)).toBe('It was [secret PASSWORD].');
  const [run, aside] = llm.requests;
  expect(JSON.stringify(aside)).not.toContain(value);
  expect(aside?.tools).toEqual(run?.tools);
  expect(previews).toEqual([undefined, true]);
});
