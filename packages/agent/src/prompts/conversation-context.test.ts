import { defineTool } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import { contextMessages, loadPrompts, parseSkill } from './index.js';

const prompts = await loadPrompts();
const skills = [
  await parseSkill('Use tabs.', { file: 'AGENTS.md', name: 'AGENTS.md' }),
  await parseSkill('---\ntriggers: [docker]\n---\nUse compose.', { file: 'docker.md' }),
];
const context = { prompts, skills, workspace: { runtime: { workingDirectory: '/work' } } };
const all: Condenser = {
  name: 'all',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest ? condensation({ view, start: 1, end: view.events.length, summary: 'S' }) : view,
};
function agentWith(script: readonly string[]) {
  const llm = scriptedLLM({ script: [...script] });
  const agent = new Agent({
    llm,
    systemPrompt: prompts.systemPrompt(),
    condenser: all,
    context: (view) => contextMessages(view, context),
  });
  return { llm, agent };
}
const shown = (requests: ReturnType<typeof scriptedLLM>['requests']) =>
  requests.map(({ messages }) => JSON.stringify(messages).match(/Use tabs\.|Use compose\.|Working directory/g) ?? []);
const once = ['Use tabs.', 'Working directory', 'Use compose.'];

test('a conversation that is opened again does not say it again', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'palimpsest-context-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const { llm, agent } = agentWith(['One.', 'Two.', 'Three.']);
  const open = async () => Conversation.open({ agent, conversationId: 'c', store: fileEventStore({ directory }) });
  for (const words of ['Use docker.', 'docker again', 'and again']) {
    const conversation = await open();
    await conversation.send(words);
    await conversation.run();
  }
  expect(shown(llm.requests)).toEqual([once, once, once]);
  const conversation = await open();
  expect([...conversation.events].filter(({ type }) => type === 'system-prompt')).toHaveLength(1);
});

test('several messages before a run get one message of context after the first that calls for it', async () => {
  const { llm, agent } = agentWith(['Done.']);
  const conversation = await Conversation.open({ agent });
  await conversation.send('Hello.');
  await conversation.send('Use docker.');
  await conversation.send('docker, please');
  await conversation.run();
  expect(shown(llm.requests).map((words) => words.toSorted())).toEqual([once.toSorted()]);
});

test('a message that is sent while a tool runs is shown with what it calls for, behind the tool’s result', async () => {
  const running: Conversation[] = [];
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    execute: async () => {
      await running[0]?.send('Use docker.');
      return 'waited';
    },
  });
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'wait', arguments: {} }] }, 'Done.'] });
  const agent = new Agent({ llm, tools: [tool], context: (view) => contextMessages(view, context) });
  const conversation = await Conversation.open({ agent });
  running.push(conversation);
  await conversation.send('Hello.');
  await conversation.run();
  const messages = llm.requests[1]?.messages ?? [];
  expect(JSON.stringify(messages)).toMatch(/Use tabs\..*waited.*Use docker\..*Use compose\./);
  expect(shown(llm.requests)[1]).toHaveLength(3);
  expect(messageViolations(messages)).toEqual([]);
});

test('a fork from before the context was shown shows it', async () => {
  const { llm, agent } = agentWith(['Done.', 'Done.']);
  const conversation = await Conversation.open({ agent });
  await conversation.send('Use docker.');
  const asked = [...conversation.events].find(({ type, source }) => type === 'message' && source === 'user');
  const fork = await conversation.fork({ at: asked?.id ?? '' });
  await fork.run();
  expect(shown(llm.requests)).toEqual([once]);
});
