import { memoryEventStore } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ViewProperty } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { Agent } from '../agent.js';
import { Conversation } from './conversation.js';

const approvals: ViewProperty = (event) => (event.type === 'message' ? event.sender : undefined);

test("the host's properties hold events of a conversation together", async () => {
  const log = logBuilder();
  const approval = (text: string) => {
    const content = [{ type: 'text', text }] as const;
    log.add(log.create('message', { source: 'environment', role: 'user', sender: 'approval/1', content }));
  };
  log.user('Deploy it.');
  approval('May I?');
  log.call('deploy', {}, 'done');
  approval('You might.');
  log.user('Thanks.');
  const store = memoryEventStore();
  await store.append('c', log.events);
  const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
  const open = (view: { readonly properties?: readonly ViewProperty[] }) =>
    Conversation.open({ agent, store, conversationId: 'c', view });
  expect([...(await open({})).view.cutPoints]).toEqual([0, 1, 2, 4, 5, 6]);
  expect([...(await open({ properties: [approvals] })).view.cutPoints]).toEqual([0, 1, 5, 6]);
});
