import { ContextWindowExceededError, InvalidRequestError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CondenserModelError } from '../definition/errors.js';
import { structuredAnswer } from './answers.js';
import type { AnswerWay } from './answers.js';

const question = {
  name: 'name_things',
  description: 'Names things.',
  schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  looseSchema: { type: 'object', properties: { a: { type: 'string' } } },
};
const everyWay: readonly AnswerWay[] = ['tool', 'format', 'instruction'];
const refusal = new InvalidRequestError('not with this model', { provider: 'x' });

const ask = (llm: LLM, options: { ways?: readonly AnswerWay[]; timeoutMs?: number; signal?: AbortSignal } = {}) => {
  const { ways = everyWay, timeoutMs = 1_000, signal } = options;
  return structuredAnswer(llm, { prompt: 'What is it?', question, ways, maxOutputTokens: 50 }, { timeoutMs, signal });
};

test.each<{ what: string; answer: ScriptedAnswer; value: unknown }>([
  { what: 'a call', answer: { toolCalls: [{ name: 'name_things', arguments: { a: 'b' } }] }, value: { a: 'b' } },
  {
    what: 'a call beside words and other calls',
    answer: {
      text: 'So: {"a": "c"}',
      toolCalls: [
        { name: 'other', arguments: { a: 'd' } },
        { name: 'name_things', arguments: { a: 'b' } },
      ],
    },
    value: { a: 'b' },
  },
  { what: 'JSON in words', answer: '{"a": "b"}', value: { a: 'b' } },
  { what: 'fenced JSON', answer: 'Here:\n```json\n{"a": "b"}\n```\nDone.', value: { a: 'b' } },
  { what: 'JSON among words', answer: 'The answer is {"a": "b"} and no other.', value: { a: 'b' } },
  { what: 'JSON after thinking aloud', answer: '<think>{"a": 1}?\nNo.</think>\n{"a": "b"}', value: { a: 'b' } },
  { what: 'anything that is JSON', answer: '[1, 2]', value: [1, 2] },
])('reads $what', async ({ answer, value }) => {
  expect((await ask(scriptedLLM({ script: () => answer }))).value).toEqual(value);
});

test.each<{ what: string; answer: ScriptedAnswer; kind: string }>([
  { what: 'words', answer: 'No.', kind: 'invalid' },
  { what: 'broken JSON', answer: '{"a": ', kind: 'invalid' },
  { what: 'nothing', answer: { text: '\n' }, kind: 'empty' },
  { what: 'another call', answer: { toolCalls: [{ name: 'other' }] }, kind: 'invalid' },
  { what: 'JSON beside another call', answer: { text: '{"a": 1}', toolCalls: [{ name: 'other' }] }, kind: 'invalid' },
  { what: 'a call as text', answer: '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>', kind: 'invalid' },
  {
    what: 'half a call',
    answer: { toolCalls: [{ name: 'name_things', arguments: '{"a": "b' }], finishReason: 'other' },
    kind: 'truncated',
  },
  { what: 'half an answer', answer: { text: '{"a": "b"}', finishReason: 'interrupted' }, kind: 'truncated' },
  {
    what: 'a call with broken arguments',
    answer: { text: '{"a": 1}', toolCalls: [{ name: 'name_things', arguments: '{' }] },
    kind: 'invalid',
  },
])('$what is a failure, with what it cost', async ({ answer, kind }) => {
  const failure = await ask(scriptedLLM({ script: () => answer })).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind, account: { model: 'scripted', usage: expect.anything() as unknown } });
});

describe('the ways', () => {
  const waysOf = async (refused: readonly AnswerWay[], llmFacts?: Partial<NonNullable<LLM['facts']>>) => {
    const asked: AnswerWay[] = [];
    const llm = scriptedLLM({
      script: ({ toolChoice, tools, responseFormat }) => {
        const way = toolChoice === undefined ? (responseFormat === undefined ? 'instruction' : 'format') : 'tool';
        expect(tools?.length ?? 0).toBe(way === 'tool' ? 1 : 0);
        asked.push(way);
        return refused.includes(way) ? refusal : '{"a": "b"}';
      },
    });
    const answer = await ask(
      Object.assign(llm, llmFacts === undefined ? {} : { facts: llmFacts as NonNullable<LLM['facts']> }),
    );
    return { asked, way: answer.way };
  };

  test('the first one that is not refused answers', async () => {
    expect(await waysOf([])).toEqual({ asked: ['tool'], way: 'tool' });
    expect(await waysOf(['tool'])).toEqual({ asked: ['tool', 'format'], way: 'format' });
    expect(await waysOf(['tool', 'format'])).toEqual({ asked: everyWay, way: 'instruction' });
  });

  test('a forced call is not tried where it is known to be refused', async () => {
    expect(await waysOf([], { acceptsForcedTools: false })).toEqual({ asked: ['format'], way: 'format' });
    expect(await waysOf([], { acceptsForcedTools: true })).toEqual({ asked: ['tool'], way: 'tool' });
  });

  test('where all are refused, the last refusal is the reason', async () => {
    await expect(waysOf(everyWay)).rejects.toMatchObject({ kind: 'error', cause: refusal });
  });

  test('what is not a refusal of the request ends it', async () => {
    const error = new ContextWindowExceededError('too long', { provider: 'x', kind: 'input' });
    const llm = scriptedLLM({ script: () => error });
    await expect(ask(llm)).rejects.toMatchObject({ kind: 'overflow' });
    expect(llm.requests).toHaveLength(1);
  });

  test('every request has the limit, the prompt first, and no listener', async () => {
    const llm = scriptedLLM({ script: [refusal, refusal, '{"a": "b"}'] });
    await ask(llm);
    for (const { messages, maxOutputTokens, onDelta } of llm.requests) {
      expect(messages).toMatchObject([
        { role: 'user', content: [{ text: expect.stringMatching(/^What is it\?\n\n/) as unknown }] },
      ]);
      expect([maxOutputTokens, onDelta]).toEqual([50, undefined]);
    }
  });
});

describe('an abort', () => {
  const hanging: LLM = { model: 'silent', complete: () => new Promise(() => {}) };

  test('before or during the call ends it with its own reason', async () => {
    const reason = new Error('nobody waits');
    await expect(ask(hanging, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const asked = ask(hanging, { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test('by the deadline comes once for all ways together', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const slow: LLM = {
      model: 'slow',
      complete: () =>
        asked++ === 0 ? new Promise((_, reject) => setTimeout(() => reject(refusal), 60)) : new Promise(() => {}),
    };
    let failure: unknown;
    void ask(slow, { timeoutMs: 100 }).catch((error: unknown) => (failure = error));
    await vi.advanceTimersByTimeAsync(99);
    expect([asked, failure]).toEqual([2, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failure).toMatchObject({ kind: 'timeout', account: { model: 'slow' } });
  });

  test('by the deadline is a failure of the model', async () => {
    const failure = await ask(hanging, { timeoutMs: 1 }).catch((error: unknown) => error);
    expect(CondenserModelError.isInstance(failure) && failure.kind).toBe('timeout');
  });
});
