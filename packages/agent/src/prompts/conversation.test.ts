import { createEvent, defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { maskedEvents, secretMask } from '../secrets/mask.js';
import { contextMessages, loadPrompts, parseSkill } from './index.js';

const prompts = await loadPrompts({ systemPrompt: 'system_prompt_long_horizon.j2' });
const skills = [
  await parseSkill('Use tabs.', { file: 'AGENTS.md', name: 'AGENTS.md' }),
  await parseSkill('---\ntriggers: [docker]\n---\nUse compose.', { file: 'docker.md' }),
];
const value = 'hunter2-hunter2';
const workspace = { secrets: { DEPLOY_TOKEN: 'for the deploy script' } };

test('a conversation begins with the prompts, reads them again after a condensation, and holds no secret', async () => {
  const leak = defineTool({
    name: 'env',
    description: 'Prints the environment.',
    input: z.object({}),
    execute: () => `DEPLOY_TOKEN=${value}; ${btoa(`user:${value}`)}`,
  });
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'env', arguments: {} }] }, 'Done.', 'Done again.'] });
  const createMasked = maskedEvents(secretMask({ DEPLOY_TOKEN: value }));
  const agent = new Agent({ llm, tools: [leak], systemPrompt: prompts.systemPrompt(), createEvent: createMasked });
  const conversation = await Conversation.open({ agent });
  const context = () => contextMessages(conversation.view, { prompts, skills, workspace });

  await conversation.send('Use docker.');
  await conversation.events.append(context());
  await conversation.run();

  const first = llm.requests[0]?.messages ?? [];
  expect(first.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(first[0])).toContain('<TASK_TRACKING>');
  expect(JSON.stringify(first[1])).toMatch(
    /Use docker\..*Use tabs\..*DEPLOY_TOKEN: for the deploy script.*Use compose\./,
  );

  const log = JSON.stringify([...conversation.events]);
  expect(log).toMatch(/DEPLOY_TOKEN=\[secret DEPLOY_TOKEN\]; \w{6}\[secret DEPLOY_TOKEN\]"/);
  expect(log + JSON.stringify(llm.requests)).not.toContain(value);

  const [shown] = [...conversation.events].filter(
    (event) => event.type === 'message' && event.source === 'environment',
  );
  const forgottenEventIds = [shown?.id ?? 'none'];
  await conversation.events.append(
    createMasked('condensation', { forgottenEventIds, summary: 'Done.', summaryOffset: 2 }),
  );
  await conversation.send('And now?');
  await conversation.events.append(context());
  await conversation.run();

  const last = llm.requests.at(-1)?.messages ?? [];
  expect(JSON.stringify(last).match(/Use tabs\.|Use compose\./g)).toEqual(['Use tabs.', 'Use compose.']);
  expect(messageViolations(last)).toEqual([]);
});

test('an agent that is given the context shows it by itself, and a conversation hides secrets in events of tools too', async () => {
  const note = defineTool({
    name: 'note',
    description: '',
    input: z.object({}),
    execute: async (_, { append }) => {
      await append(createEvent('acme/note', { source: 'environment', text: `with ${value}` }));
      return value;
    },
  });
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'note' }] }, 'Done.', `It was ${value}.`] });
  const condenser: Condenser = {
    name: 'all',
    handlesCondensationRequests: true,
    condense: (view) =>
      view.unhandledCondensationRequest
        ? condensation({ view, start: 1, end: view.events.length, summary: 'S' })
        : view,
  };
  const agent = new Agent({
    llm,
    tools: [note],
    systemPrompt: prompts.systemPrompt(),
    condenser,
    context: (view) => contextMessages(view, { prompts, skills, workspace }),
  });
  const conversation = await Conversation.open({ agent, secrets: secretMask({ DEPLOY_TOKEN: value }) });
  await conversation.send(`Use docker with ${value}.`);
  await conversation.run();
  await conversation.condense();
  await conversation.send('And now?');
  await conversation.run();
  expect(JSON.stringify([...conversation.events])).not.toContain(value);
  expect(JSON.stringify(llm.requests)).not.toContain(value);
  for (const { messages } of [llm.requests[0], llm.requests[2]].flatMap((request) => request ?? [])) {
    expect(JSON.stringify(messages).match(/Use tabs\.|Use compose\./g)).toEqual(['Use tabs.', 'Use compose.']);
    expect(messageViolations(messages)).toEqual([]);
  }
});
