import { createEvent, defineTool, eventFactory, userMessage } from '@palimpsest/events';
import type { Condensation, Event, LLMConvertibleEvent } from '@palimpsest/events';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import { ConversationStateProjection } from './state.js';
import { ContextOverflowError, LimitExceededError } from './errors.js';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => `echo: ${text}`,
});

/** Takes one step over a log, and collects the emitted events. */
async function stepOnce(agent: Agent, log: readonly Event[]) {
  const emitted: Event[] = [];
  const state = ConversationStateProjection.fromEvents(log);
  const outcome = await agent.step(state, { onEvent: (event) => void emitted.push(event) });
  return { outcome, emitted, types: emitted.map(({ type }) => type) };
}

function callAndResult() {
  const action = createEvent('action', {
    thought: [],
    toolCall: { id: 'call-1', name: 'echo', arguments: '{"text":"a long answer"}' },
    llmResponseId: 'response-1',
  });
  const result = createEvent('observation', {
    toolName: 'echo',
    toolCallId: 'call-1',
    actionId: action.id,
    content: [{ type: 'text', text: 'a long answer '.repeat(100) }],
  });
  return { action, result };
}

function condenserOf(name: string, condense: Condenser['condense'], handlesCondensationRequests = false): Condenser {
  return { name, handlesCondensationRequests, condense };
}

describe('the condenser of a step', () => {
  test('returns a view: the model is called once, with that view', async () => {
    const { action, result } = callAndResult();
    const llm = scriptedLLM({ script: ['Done.'] });
    const copy: LLMConvertibleEvent = {
      ...result,
      content: [{ type: 'text', text: 'Response redacted: read.' }],
      redacted: true,
    };
    const redacting = condenserOf('redacting', (view) => view.replace(new Map([[result.id, { event: copy }]])));
    const agent = new Agent({ llm, tools: [echo], condenser: redacting });
    const { outcome, types } = await stepOnce(agent, [userMessage('Go.'), action, result]);
    expect(outcome).toEqual({ type: 'message', answer: 'Done.' });
    expect(types).toEqual(['llm-usage', 'message']);
    expect(llm.requests).toHaveLength(1);
    const [, call, answer] = llm.requests[0]?.messages ?? [];
    expect(call).toMatchObject({ role: 'assistant', toolCalls: [{ id: 'call-1' }] });
    expect(answer).toMatchObject({
      role: 'tool',
      toolCallId: 'call-1',
      content: [{ text: 'Response redacted: read.' }],
    });
  });

  test('returns a condensation: it is emitted, and the model is not called', async () => {
    const { action, result } = callAndResult();
    const llm = scriptedLLM({ script: [] });
    const forgetting = condenserOf('forgetting', (view) =>
      condensation({ view, start: 1, end: 3, summary: 'It echoed.' }),
    );
    const { outcome, emitted } = await stepOnce(new Agent({ llm, condenser: forgetting }), [
      userMessage('Go.'),
      action,
      result,
    ]);
    expect(outcome.type).toBe('condensation');
    expect(emitted).toMatchObject([{ type: 'condensation', forgottenEventIds: [action.id, result.id] }]);
    expect(llm.requests).toHaveLength(0);
  });

  test('reports: each attempt stands in the log before the condensation, also when it throws', async () => {
    const failing = condenserOf('failing', (_view, { report }) => {
      report?.({ outcome: 'failed', reason: 'the summariser said nothing', data: { calls: 1 } });
      throw new Error('broken');
    });
    const emitted: Event[] = [];
    const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
    const agent = new Agent({ llm: scriptedLLM({ script: ['Hi.'] }), condenser: failing });
    // A history that fits is sent: a broken policy does not end the run.
    expect(await agent.step(state, { onEvent: (event) => void emitted.push(event) })).toMatchObject({ answer: 'Hi.' });
    expect(emitted.slice(0, 2)).toMatchObject([
      { type: 'condensation-attempt', condenser: 'failing', outcome: 'failed', data: { calls: 1 } },
      { type: 'condensation-attempt', condenser: 'failing', outcome: 'failed', reason: 'broken' },
    ]);
  });

  test('has nothing to forget: an empty condensation settles the request', async () => {
    const helpless = condenserOf(
      'helpless',
      () => {
        throw new NoCondensationAvailableError('one event');
      },
      true,
    );
    const log = [userMessage('Go.'), createEvent('condensation-request', {})];
    const { outcome, emitted } = await stepOnce(
      new Agent({ llm: scriptedLLM({ script: [] }), condenser: helpless }),
      log,
    );
    expect(outcome).toMatchObject({
      type: 'condensation',
      condensation: { forgottenEventIds: [], metadata: { condenser: 'helpless', reason: 'nothing-to-forget' } },
    });
    const after = ConversationStateProjection.fromEvents([...log, ...emitted]);
    expect(after.view.unhandledCondensationRequest).toBe(false);
    expect(after.condensationsInARow).toBe(1);
  });
});

describe('context overflow', () => {
  const tooLong = () => new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input' });
  const willing = condenserOf('willing', (view) => view, true);
  const worked = () => {
    const { action, result } = callAndResult();
    return [userMessage('Go.'), action, result];
  };

  test('of protected events: a typed error with advice and numbers, and the condenser is not called', async () => {
    const kind = { provider: 'scripted', kind: 'input', inputTokens: 400, contextWindow: 4 } as const;
    for (const condenser of [{}, { condenser: willing }]) {
      const llm = scriptedLLM({ script: [new ContextWindowExceededError('too long', kind)] });
      const agent = new Agent({ llm, ...condenser });
      const step = stepOnce(agent, worked());
      await expect(step).rejects.toThrow(ContextOverflowError);
      await expect(step).rejects.toMatchObject({
        model: 'scripted',
        protectedTokens: 6,
        message: expect.stringMatching(/the first and the latest message of the user .* 6 tokens.*shorten/) as string,
        cause: { code: 'context-window-exceeded' },
      });
    }
  });

  test('after three condensations in a row: a typed error instead of a fourth', async () => {
    const spent: Condensation[] = [1, 2, 3].map(() => createEvent('condensation', { forgottenEventIds: [] }));
    const agent = new Agent({ llm: scriptedLLM({ script: [tooLong()] }), condenser: willing });
    const step = stepOnce(agent, [...worked(), ...spent]);
    await expect(step).rejects.toThrow(LimitExceededError);
    await expect(step).rejects.toMatchObject({ limit: 'condensations-in-a-row', value: 3 });
  });

  test('after three condensations in a row a view that fits is sent, and an attempt says so', async () => {
    const spent: Condensation[] = [1, 2, 3].map(() => createEvent('condensation', { forgottenEventIds: [] }));
    const aside = createEvent('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: 'x' }],
    });
    const eager = condenserOf('eager', () => createEvent('condensation', { forgottenEventIds: [aside.id] }));
    const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'] }), condenser: eager });
    const { outcome, emitted } = await stepOnce(agent, [...worked(), aside, ...spent]);
    expect(outcome).toEqual({ type: 'message', answer: 'Done.' });
    expect(emitted[0]).toMatchObject({
      condenser: 'eager',
      outcome: 'unsettled',
      reason: 'it condensed 3 times in a row',
    });
  });
});

describe('a response', () => {
  test('with parallel calls: all actions first, thought on the first, then the results in order', async () => {
    const llm = scriptedLLM({
      script: [
        {
          text: 'Two at once.',
          toolCalls: [
            { name: 'echo', arguments: { text: 'one' } },
            { name: 'echo', arguments: { text: 'two' } },
          ],
        },
      ],
    });
    const { outcome, emitted, types } = await stepOnce(new Agent({ llm, tools: [echo] }), [userMessage('Go.')]);
    expect(outcome).toEqual({ type: 'tool-calls' });
    expect(types).toEqual(['llm-usage', 'action', 'action', 'observation', 'observation']);
    expect(emitted[1]).toMatchObject({ thought: [{ text: 'Two at once.' }] });
    expect(emitted[2]).toMatchObject({ thought: [] });
    expect(emitted.slice(3)).toMatchObject([
      { actionId: emitted[1]?.id, content: [{ text: 'echo: one' }] },
      { actionId: emitted[2]?.id, content: [{ text: 'echo: two' }] },
    ]);
  });

  test('with nothing in it: the model is told so, from the environment', async () => {
    const { outcome, emitted } = await stepOnce(new Agent({ llm: scriptedLLM({ script: [''] }) }), [
      userMessage('Go.'),
    ]);
    expect(outcome).toEqual({ type: 'no-answer' });
    expect(emitted).toMatchObject([
      { type: 'llm-usage' },
      { type: 'message', source: 'agent', content: [] },
      { type: 'message', source: 'environment', role: 'user' },
    ]);
  });

  test('has a usage event, with our estimate beside the provider’s count', async () => {
    const usage = { uncachedInputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 0, outputTokens: 5 };
    const llm = scriptedLLM({ script: [{ text: 'Hi.', usage }] });
    const { emitted } = await stepOnce(new Agent({ llm }), [userMessage('Go.')]);
    expect(emitted[0]).toMatchObject({ type: 'llm-usage', usage, purpose: 'agent', model: 'scripted' });
    expect(emitted[0]).toHaveProperty('estimatedInputTokens', expect.any(Number));
  });

  test('sends the tools, the conversation as cache key, and the rendered view', async () => {
    const llm = scriptedLLM({ script: ['Hi.'] });
    const state = new ConversationStateProjection({ conversationId: 'c-1' });
    state.append(userMessage('Go.'));
    await new Agent({ llm, tools: [echo] }).step(state, { onEvent: () => undefined });
    expect(llm.requests[0]).toMatchObject({ cache: { key: 'c-1' }, tools: [{ name: 'echo' }] });
    expect(llm.requests[0]?.tools?.[0]).not.toHaveProperty('execute');
  });
});

describe('actions without a result', () => {
  test('are carried out first, and the step ends', async () => {
    const { action } = callAndResult();
    const llm = scriptedLLM({ script: [] });
    const { outcome, emitted } = await stepOnce(new Agent({ llm, tools: [echo] }), [userMessage('Go.'), action]);
    expect(outcome).toEqual({ type: 'tool-calls' });
    expect(emitted).toMatchObject([{ type: 'observation', actionId: action.id, toolCallId: 'call-1' }]);
    expect(llm.requests).toHaveLength(0);
  });

  test('of an earlier response are abandoned, never run late', async () => {
    const { action } = callAndResult();
    const later = createEvent('message', {
      source: 'agent',
      role: 'assistant',
      content: [{ type: 'text', text: 'Well.' }],
    });
    const state = ConversationStateProjection.fromEvents([userMessage('Go.'), action, later]);
    expect(state.pendingActions).toEqual([]);
  });

  test('stay answered when their result was forgotten', () => {
    const { action, result } = callAndResult();
    const forgotten = createEvent('condensation', { forgottenEventIds: [result.id] });
    const state = ConversationStateProjection.fromEvents([userMessage('Go.'), action, result, forgotten]);
    expect(state.pendingActions).toEqual([]);
  });

  test('are matched by call where the result names no action', () => {
    const { action } = callAndResult();
    const error = createEvent('agent-error', { toolName: 'echo', toolCallId: 'call-1', error: 'gone' });
    expect(ConversationStateProjection.fromEvents([action, error]).pendingActions).toEqual([]);
  });
});

test('two tools of one name are refused', () => {
  expect(() => new Agent({ llm: scriptedLLM({ script: [] }), tools: [echo, echo] })).toThrow(/'echo'/);
});

describe('the id of a response', () => {
  /** A model whose server gives all answers one id, or none. */
  const serverOf = (providerResponseId: string | undefined, script: Parameters<typeof scriptedLLM>[0]['script']) => {
    const llm = scriptedLLM({ script });
    const complete: LLM['complete'] = async (request) => {
      const { providerResponseId: _own, ...completion } = await llm.complete(request);
      return { ...completion, providerResponseId };
    };
    return { ...llm, complete };
  };

  test.each([['chatcmpl-A1'], [''], [undefined]])('is the agent’s own where the server says %j', async (id) => {
    const calls = [{ name: 'echo', arguments: { text: 'a' } }];
    const agent = new Agent({
      llm: serverOf(id, [{ toolCalls: [...calls, ...calls] }, { toolCalls: calls }, 'Done.']),
      tools: [echo],
    });
    const log: Event[] = [userMessage('Go.')];
    for (let step = 0; step < 3; step++) log.push(...(await stepOnce(agent, log)).emitted);
    const usages = log.flatMap((event) => (event.type === 'llm-usage' ? [event] : []));
    const named = log.flatMap((event) =>
      (event.type === 'action' || event.type === 'message') && event.source === 'agent' ? [event.llmResponseId] : [],
    );
    const [first, second, third] = usages.map(({ responseId }) => responseId);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(named).toEqual([first, first, second, third]);
    expect(usages.map((usage) => usage.providerResponseId)).toEqual(Array(3).fill(id === '' ? undefined : id));
  });

  test('comes from the factory that makes the events', async () => {
    let made = 0;
    const createEvent = eventFactory({ newId: () => `id-${++made}` });
    const agent = new Agent({ llm: scriptedLLM({ script: ['Done.'] }), createEvent });
    const { emitted } = await stepOnce(agent, [userMessage('Go.')]);
    expect(emitted).toMatchObject([{ responseId: 'id-1' }, { llmResponseId: 'id-1' }]);
  });
});

describe('waiting calls in a log whose responses have one id', () => {
  const call = (id: string, extra = {}) =>
    createEvent('action', {
      thought: [],
      toolCall: { id, name: 'echo', arguments: '{"text":"x"}' },
      llmResponseId: 'r',
      ...extra,
    });
  const resultOf = ({ id, toolCall }: ReturnType<typeof call>) =>
    createEvent('observation', { toolCallId: toolCall.id, toolName: 'echo', actionId: id, content: [] });

  test('the calls of one response wait together, and a call of the next one alone', () => {
    const [one, two] = [call('a'), call('b')];
    const thinks = call('c', { thought: [{ type: 'text', text: 'Next.' }] });
    const state = ConversationStateProjection.fromEvents([userMessage('Go.'), one, two]);
    expect(state.pendingActions).toEqual([one, two]);
    for (const event of [resultOf(one), resultOf(two), thinks]) state.append(event);
    expect(state.pendingActions).toEqual([thinks]);
    expect(state.view.responseOf(thinks.id)).toBe(thinks.id);
  });

  test.each([
    ['an assistant’s message that says nobody of it', { source: 'environment', role: 'assistant' } as const, 0],
    ['a user’s message that the agent wrote', { source: 'agent', role: 'user' } as const, 1],
  ])('%s ends a response as it does in the view', (_, from, waiting) => {
    const content = [{ type: 'text' as const, text: 'words' }];
    const action = call('a');
    const state = ConversationStateProjection.fromEvents([action, createEvent('message', { ...from, content })]);
    expect(state.pendingActions).toHaveLength(waiting);
    state.append(resultOf(action));
    expect([...state.view.leftOut.values()]).toEqual([]);
  });
});
