import { createEvent, defineTool, EventLog, parseEvent, userMessage } from '@palimpsest/events';
import type { ActionEvent, Event, LLMConvertibleEvent } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { Conversation } from './conversation/conversation.js';
import { ConversationRunError } from './errors.js';

// The examples and tables of the seed "Events" of OpenHands, with its names.

const text = (words: string) => [{ type: 'text', text: words }] as const;
const call = (id: string) => ({ id, name: 'look', arguments: '{}' });
const action = (fields: Partial<ActionEvent> = {}) =>
  createEvent('action', { thought: [], toolCall: call('call-1'), llmResponseId: 'abc123', ...fields });
const answers = { toolName: 'look', toolCallId: 'call-1' };

describe('LLM-convertible events', () => {
  test.each<[string, LLMConvertibleEvent, string, string]>([
    ['MessageEvent (user)', userMessage('Go.'), 'user', 'user'],
    [
      'MessageEvent (agent)',
      createEvent('message', { source: 'agent', role: 'assistant', content: text('I go.') }),
      'agent',
      'assistant',
    ],
    ['ActionEvent', action(), 'agent', 'assistant'],
    ['ObservationEvent', createEvent('observation', { ...answers, content: text('Seen.') }), 'environment', 'tool'],
    [
      'UserRejectObservation',
      createEvent('user-reject-observation', { ...answers, actionId: 'a', rejectionReason: 'No.' }),
      'environment',
      'tool',
    ],
    ['AgentErrorEvent', createEvent('agent-error', { ...answers, error: 'It failed.' }), 'agent', 'tool'],
    ['SystemPromptEvent', createEvent('system-prompt', { systemPrompt: 'Be good.' }), 'agent', 'system'],
    [
      'CondensationSummaryEvent',
      createEvent('condensation-summary', { summary: 'It was done.', condensationId: 'c' }),
      'environment',
      'user',
    ],
  ])('%s', (_, event, source, role) => {
    expect(event.source).toBe(source);
    // A result is sent behind its call, and a call with its result.
    const isResult = 'toolCallId' in event;
    const result = createEvent('observation', { ...answers, content: text('Seen.') });
    const log = isResult ? [action(), event] : event.type === 'action' ? [event, result] : [event];
    const [message] = View.fromEvents([userMessage('Go.'), ...log])
      .toMessages()
      .filter(({ role: each }) => each === role)
      .slice(role === 'user' ? -1 : 0);
    expect(message?.role).toBe(role);
    expect(message).toMatchObject(isResult ? { toolCallId: 'call-1' } : {});
  });

  test('Parallel Function Calling: ActionEvents that share an llm_response_id are one message', () => {
    const [tool1, tool2] = [call('tool1'), call('tool2')];
    const thought = text('Let me check...');
    const results = [tool1, tool2].map(({ id }) =>
      createEvent('observation', { ...answers, toolCallId: id, content: text('Seen.') }),
    );
    const view = View.fromEvents([
      userMessage('Go.'),
      action({ llmResponseId: 'abc123', thought, toolCall: tool1 }),
      action({ llmResponseId: 'abc123', thought: [], toolCall: tool2 }),
      ...results,
    ]);
    // Message(role="assistant", content="Let me check...", tool_calls=[tool1, tool2])
    expect(view.toMessages()[1]).toEqual({ role: 'assistant', content: [...thought], toolCalls: [tool1, tool2] });
  });

  test('only the first event’s thought, reasoning_content and thinking_blocks: those of all others are empty', () => {
    const thinkingBlocks = [{ type: 'thinking', thinking: 'I think.', signature: 's' }] as const;
    const first = action({ thought: text('One.'), reasoningContent: 'Why.', thinkingBlocks, toolCall: call('1') });
    const second = action({ thought: [], toolCall: call('2') });
    const results = ['1', '2'].map((id) => createEvent('observation', { ...answers, toolCallId: id, content: [] }));
    const message = View.fromEvents([userMessage('Go.'), first, second, ...results]).toMessages()[1];
    expect(message).toMatchObject({ content: text('One.'), reasoningContent: 'Why.', thinkingBlocks });
  });
});

describe('internal events', () => {
  test.each<[string, Event, string]>([
    [
      'ConversationStateUpdateEvent',
      createEvent('conversation-state-update', { key: 'status', value: 'running' }),
      'environment',
    ],
    ['CondensationRequest', createEvent('condensation-request', {}), 'environment'],
    ['Condensation', createEvent('condensation', { forgottenEventIds: [] }), 'environment'],
    ['PauseEvent', createEvent('pause', {}), 'user'],
    ['ConversationErrorEvent', createEvent('conversation-error', { code: 'x', detail: 'It ended.' }), 'environment'],
  ])('%s is not visible to the LLM', (_, event, source) => {
    expect(event.source).toBe(source);
    const view = View.fromEvents([userMessage('Go.'), event]);
    expect(view.toMessages()).toEqual(View.fromEvents([userMessage('Go.')]).toMessages());
  });
});

test('source vs LLM role: a message of the framework has the role of a user and not its source', () => {
  const synthetic = createEvent('message', { source: 'environment', role: 'user', content: text('The hook says no.') });
  const view = View.fromEvents([userMessage('Go.'), synthetic]);
  expect(view.toMessages().every(({ role }) => role === 'user')).toBe(true);
  expect([...view.events].filter(({ source }) => source === 'user')).toHaveLength(1);
});

test('events are immutable, have an id, a timestamp and a source, and the log only grows at its end', async () => {
  const log = new EventLog('seed');
  await log.append(userMessage('Go.'));
  const [event] = log;
  expect(event).toMatchObject({ id: expect.any(String) as string, timestamp: expect.any(String) as string });
  expect(() => Object.assign(event as object, { source: 'agent' })).toThrow(TypeError);
  expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  await log.append(createEvent('pause', {}));
  expect([...log][0]).toBe(event);
});

describe('error events: agent vs conversation', () => {
  const failing = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: () => {
      throw new Error('It is dark.');
    },
  });

  test('AgentErrorEvent is sent as a tool message, and the conversation continues', async () => {
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'no-such-tool' }] }, 'Done.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [failing] }) });
    await conversation.send('Look.');
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    const errors = [...conversation.events].filter((event) => event.type === 'agent-error');
    expect(errors).toMatchObject([{ source: 'agent', toolName: 'no-such-tool' }]);
    expect(llm.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: errors[0]?.toolCallId });
  });

  test('ConversationErrorEvent: run() raises ConversationRunError, the state is error, no model is told', async () => {
    const llm = scriptedLLM({ script: [new Error('No network.'), 'Done.'] });
    const conversation = await Conversation.open({ agent: new Agent({ llm }) });
    await conversation.send('Look.');
    await expect(conversation.run()).rejects.toThrow(ConversationRunError);
    expect(conversation.status).toBe('error');
    const [error] = [...conversation.events].filter((event) => event.type === 'conversation-error');
    expect(error).toMatchObject({ source: 'environment', detail: expect.stringContaining('No network.') as string });
    expect(error).not.toHaveProperty('toolCallId');
    await conversation.run();
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).not.toContain('No network.');
  });
});
