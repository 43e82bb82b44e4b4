import { isToolResult } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { jsonLines, noteKinds, sessionOf } from '../../test-support/fixtures/fixture-files.js';
import { modelCalls } from './model-calls.js';
import type { Session } from './session.js';

const id = 'chatcmpl-A1';

/** How many calls each request of the log made, and the server's id on each usage. */
function shapeOf({ events }: Session) {
  const messages = View.fromEvents(events).toMessages();
  return {
    batches: messages.flatMap((message) => (message.role === 'assistant' ? [message.toolCalls?.length ?? 0] : [])),
    modelCalls: modelCalls(events).length,
    responseIds: new Set(events.flatMap((event) => (event.type === 'action' ? [event.llmResponseId] : []))).size,
    results: events.filter(isToolResult).length,
    providerIds: new Set(events.flatMap((event) => (event.type === 'llm-usage' ? [event.providerResponseId] : []))),
  };
}

test('claude-code-jsonl: the lines of a reply count the same input; the next reply has another', async () => {
  let uuid = 0;
  const line = (type: string, message: object) => ({ type, uuid: `l${uuid++}`, sessionId: 's', message });
  const reply = (input: number, ...content: object[]) =>
    content.map((block) =>
      line('assistant', { id, model: 'm', content: [block], usage: { input_tokens: input, output_tokens: 1 } }),
    );
  const call = (name: string) => ({ type: 'tool_use', id: name, name: 'Read', input: {} });
  const result = (name: string) =>
    line('user', { content: [{ type: 'tool_result', tool_use_id: name, content: 'text' }] });
  const [one, two] = reply(10, call('a'), call('b'));
  const session = await sessionOf(
    jsonLines([
      line('user', { content: 'Go.' }),
      ...[one, result('a'), two, result('b')],
      ...[...reply(20, call('c')), result('c')],
      // The same input by chance: words behind a result begin another reply all the same.
      ...[...reply(20, { type: 'text', text: 'Next.' }, call('d')), result('d')],
      line('user', { content: 'And then?' }),
      ...[...reply(20, call('e')), result('e')],
    ]),
  );
  expect(shapeOf(session)).toEqual({
    batches: [2, 1, 1, 1],
    modelCalls: 4,
    responseIds: 4,
    results: 5,
    providerIds: new Set([id]),
  });
  expect(noteKinds(session)).toEqual(['normalised ×3']);
});

test('openhands-events: every action of a reply repeats the whole of it', async () => {
  let next = 0;
  const step = (calls: readonly string[], input: number) => {
    const toolCalls = calls.map((name) => ({ id: name, function: { name: 'run', arguments: '{}' } }));
    const model_response = {
      id,
      model: 'm',
      choices: [{ message: { content: null, tool_calls: toolCalls } }],
      usage: { prompt_tokens: input, completion_tokens: 1 },
    };
    return calls.flatMap((name) => {
      const action = next++;
      const metadata = { tool_call_id: name, function_name: 'run', model_response };
      return [
        { id: action, source: 'agent', action: 'run', args: {}, tool_call_metadata: metadata },
        { id: next++, source: 'agent', observation: 'run', cause: action, content: 'text' },
      ];
    });
  };
  const task = { id: next++, source: 'user', action: 'message', args: { content: 'Go.' } };
  const session = await sessionOf(JSON.stringify([task, ...step(['a', 'b'], 10), ...step(['c'], 20)]));
  expect(shapeOf(session)).toEqual({
    batches: [2, 1],
    modelCalls: 2,
    responseIds: 2,
    results: 3,
    providerIds: new Set([id]),
  });
});

test('pi-session-jsonl: every message is a reply', async () => {
  const entry = (message: object) => ({ type: 'message', message });
  const turn = (name: string) => [
    entry({
      role: 'assistant',
      responseId: id,
      content: [{ type: 'toolCall', id: name, name: 'read', arguments: {} }],
      usage: { input: 1, output: 1 },
    }),
    entry({ role: 'toolResult', toolCallId: name, toolName: 'read', content: [{ type: 'text', text: 'text' }] }),
  ];
  const session = await sessionOf(
    jsonLines([entry({ role: 'user', content: 'Go.' }), ...turn('a'), ...turn('b'), ...turn('c')]),
  );
  expect(shapeOf(session)).toEqual({
    batches: [1, 1, 1],
    modelCalls: 3,
    responseIds: 3,
    results: 3,
    providerIds: new Set([id]),
  });
});
