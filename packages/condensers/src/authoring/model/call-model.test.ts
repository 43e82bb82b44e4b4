import {
  AuthenticationError,
  ContextWindowExceededError,
  RateLimitError,
  ServiceUnavailableError,
} from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CondenserModelError } from '../definition/errors.js';
import { accountOf, callModel, isBlankAnswer, textOf, withinDeadline } from './call-model.js';

const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise.' }] }] } as const;
const provider = { provider: 'test' };

async function failure(answer: ScriptedAnswer): Promise<CondenserModelError> {
  const error = await callModel(scriptedLLM({ script: [answer] }), request, { timeoutMs: 10_000 }).catch(
    (e: unknown) => e,
  );
  if (!CondenserModelError.isInstance(error)) throw new Error(`no model error: ${String(error)}`);
  return error;
}

test('asks once, does not stream, and hands on a signal', async () => {
  const llm = scriptedLLM({ script: ['Done.'] });
  const completion = await callModel(llm, { ...request, maxOutputTokens: 7 }, { timeoutMs: 10_000 });
  expect(completion.message.content).toEqual([{ type: 'text', text: 'Done.' }]);
  expect(llm.requests).toHaveLength(1);
  expect(llm.requests[0]).toMatchObject({ maxOutputTokens: 7, messages: request.messages });
  expect(llm.requests[0]?.signal).toBeInstanceOf(AbortSignal);
  expect(llm.requests[0]?.onDelta).toBeUndefined();
});

test.each([
  { answer: new Error('socket hang up'), kind: 'error', mayRetry: true },
  { answer: new ServiceUnavailableError('overloaded', provider), kind: 'error', mayRetry: false },
  { answer: new RateLimitError('too much', { ...provider, kind: 'rate' }), kind: 'error', mayRetry: false },
  { answer: new RateLimitError('no money', { ...provider, kind: 'quota' }), kind: 'error', mayRetry: false },
  { answer: new AuthenticationError('no such key', provider), kind: 'error', mayRetry: false },
  {
    answer: new ContextWindowExceededError('too long', { ...provider, kind: 'input' }),
    kind: 'overflow',
    mayRetry: true,
  },
] as const)('$answer.message: $kind, worth another try: $mayRetry', async ({ answer, kind, mayRetry }) => {
  const error = await failure(answer);
  expect(error).toMatchObject({ kind, mayRetry, message: answer.message, account: { model: 'scripted' } });
  expect(error.cause).toBe(answer);
});

test.each([
  { finishReason: 'length', kind: 'truncated' },
  { finishReason: 'interrupted', kind: 'truncated' },
  { finishReason: 'paused', kind: 'truncated' },
  { finishReason: 'content-filter', kind: 'refused' },
] as const)(
  'an answer that ended in $finishReason is $kind, and its price is known',
  async ({ finishReason, kind }) => {
    const error = await failure({ text: 'Half a summ', finishReason });
    expect(error).toMatchObject({ kind, account: { model: 'scripted', usage: { cacheReadTokens: 0 } } });
  },
);

test.each(['stop', 'tool-calls', 'other', 'length'] as const)(
  'an answer with a cut call is truncated, also where it ended in %s',
  async (finishReason) => {
    const toolCalls = [{ name: 'summarise', arguments: '{"summary": "Half a' }];
    const llm = scriptedLLM({ script: [{ toolCalls, finishReason }] });
    const complete: LLM['complete'] = async (asked) => ({ ...(await llm.complete(asked)), callStates: ['cut'] });
    await expect(callModel({ ...llm, complete }, request, { timeoutMs: 10_000 })).rejects.toMatchObject({
      kind: 'truncated',
    });
  },
);

test('words under a reason that only the provider knows are an answer', async () => {
  const llm = scriptedLLM({ script: [{ text: 'Done.', finishReason: 'other' }] });
  expect(textOf(await callModel(llm, request, { timeoutMs: 10_000 }))).toBe('Done.');
});

test('a model that ignores its signal is given up at the deadline', async () => {
  let given: CompletionRequest | undefined;
  const deaf: LLM = { model: 'deaf', complete: (asked) => ((given = asked), new Promise(() => {})) };
  const waiting = callModel(deaf, request, { timeoutMs: 1 });
  await expect(waiting).rejects.toMatchObject({ kind: 'timeout', mayRetry: false, account: { model: 'deaf' } });
  expect(given?.signal?.aborted).toBe(true);
});

test('an abort rejects with its own reason, whatever the model then throws', async () => {
  const reason = new Error('nobody waits');
  const abort = new AbortController();
  const rude: LLM = {
    model: 'rude',
    complete: ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('something else')))),
  };
  const waiting = callModel(rude, request, { timeoutMs: 10_000, signal: abort.signal });
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const never = scriptedLLM({ script: [] });
  await expect(callModel(never, request, { timeoutMs: 10_000, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
  expect(never.requests).toHaveLength(0);
});

test('of a usage that is only estimated the account says nothing', async () => {
  const llm = scriptedLLM({ script: [{ text: 'a', usageIsEstimated: true }, 'b'] });
  const ask = () => callModel(llm, request, { timeoutMs: 10_000 });
  expect(accountOf(await ask())).toEqual({ model: 'scripted' });
  expect(accountOf(await ask())).toHaveProperty('usage.outputTokens');
});

test.each([
  { name: 'nothing', answer: undefined },
  { name: 'no message', answer: { finishReason: 'stop', model: 'm' } },
  { name: 'a message without content', answer: { message: { role: 'assistant' }, finishReason: 'stop', model: 'm' } },
  { name: 'a string for content', answer: { message: { role: 'assistant', content: 'S' }, finishReason: 'stop' } },
  {
    name: 'text that is a number',
    answer: { message: { content: [{ type: 'text', text: 42 }] }, finishReason: 'stop' },
  },
  { name: 'a part that is null', answer: { message: { content: [null] }, finishReason: 'stop' } },
  { name: 'a call without a name', answer: { message: { content: [], toolCalls: [{}] }, finishReason: 'stop' } },
])('a model that gives $name is a failure like any other', async ({ answer }) => {
  const llm: LLM = { model: 'odd', complete: () => Promise.resolve(answer as unknown as Completion) };
  await expect(callModel(llm, request, { timeoutMs: 10_000 })).rejects.toMatchObject({
    kind: 'invalid',
    account: { model: 'odd' },
  });
});

test.each([
  { said: '  Done.\n', text: 'Done.' },
  { said: '<think>Hm, what was it?</think>\n\nDone.', text: 'Done.' },
  { said: '<think>Hm, what was it?</think>', text: '' },
  { said: 'half a \ud83d', text: 'half a \ufffd' },
  { said: 'A <think>tag</think> inside stays', text: 'A <think>tag</think> inside stays' },
])('of $said what was said is $text', async ({ said, text }) => {
  const completion = await callModel(scriptedLLM({ script: [said] }), request, { timeoutMs: 10_000 });
  expect(textOf(completion)).toBe(text);
});

test.each(['', ' \n', '\u200b\u200b \u2060', '...', '---'])('%j says nothing', (text) => {
  expect(isBlankAnswer(text)).toBe(true);
  expect(isBlankAnswer(`${text}1`)).toBe(false);
  expect(isBlankAnswer(`${text}済`)).toBe(false);
});

test.each([NaN, Infinity, -1])('a price of %s is none', async (costUsd) => {
  const completion = await callModel(scriptedLLM({ script: ['Done.'] }), request, { timeoutMs: 10_000 });
  expect(accountOf({ ...completion, costUsd })).not.toHaveProperty('costUsd');
});

const never = new Promise<never>(() => {});
const deadline = { timeoutMs: 10_000, model: 'm' };

test('what comes in time is what there is, and no timer is left', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  expect(await withinDeadline(deadline, () => Promise.resolve('done'))).toBe('done');
  const failure = new Error('no');
  await expect(withinDeadline(deadline, () => Promise.reject(failure))).rejects.toBe(failure);
  const thrown = () => {
    throw failure;
  };
  await expect(withinDeadline(deadline, thrown)).rejects.toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});

test('what does not is left alone, its signal aborts, and it is not worth another try', async () => {
  let given: AbortSignal | undefined;
  const deaf = (signal: AbortSignal): Promise<never> => ((given = signal), never);
  const waiting = withinDeadline({ ...deadline, timeoutMs: 1 }, deaf);
  await expect(waiting).rejects.toMatchObject({ kind: 'timeout', mayRetry: false, account: { model: 'm' } });
  expect(given?.aborted).toBe(true);
});

test('an abort ends it with its own reason, whatever the work then throws', async () => {
  const abort = new AbortController();
  const reason = new Error('nobody waits');
  const rude = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('something else'))));
  const waiting = withinDeadline({ ...deadline, signal: abort.signal }, rude);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const work = vi.fn(() => never);
  await expect(withinDeadline({ ...deadline, signal: abort.signal }, work)).rejects.toBe(reason);
  expect(work).not.toHaveBeenCalled();
});

test('a deadline that no timer can hold is the longest that one can', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  await withinDeadline({ ...deadline, timeoutMs: 2 ** 40 }, () => Promise.resolve());
  expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([2 ** 31 - 1]);
});
