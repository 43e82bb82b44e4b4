import { describe, expect, it } from 'vitest';
import type { CompletionRequest, Delta } from '../index.js';
import { ContextWindowExceededError, RateLimitError } from '../index.js';
import { ScriptEndedError, scriptedLLM } from './scripted-llm.js';

const request: CompletionRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }] };

describe('scriptedLLM', () => {
  it('gives the answers in order, and records what it was asked', async () => {
    const llm = scriptedLLM({
      script: [{ text: 'I look.', toolCalls: [{ name: 'run', arguments: { command: 'ls' } }] }, 'Done.'],
    });
    const first = await llm.complete(request);
    expect(first).toEqual({
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'I look.' }],
        toolCalls: [{ id: 'call-scripted-1-1', name: 'run', arguments: '{"command":"ls"}' }],
      },
      providerResponseId: 'scripted-1',
      usage: { uncachedInputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 14 },
      finishReason: 'tool-calls',
      model: 'scripted',
    });
    const second = await llm.complete(request);
    expect(second).toMatchObject({
      providerResponseId: 'scripted-2',
      finishReason: 'stop',
      message: { content: [{ text: 'Done.' }] },
    });
    expect(llm.requests).toEqual([request, request]);
  });

  it('asks a function, with the request and how many answers came before', async () => {
    const llm = scriptedLLM({ script: async ({ messages }, index) => `${messages.length} messages, answer ${index}` });
    await llm.complete(request);
    expect((await llm.complete(request)).message.content).toEqual([{ type: 'text', text: '1 messages, answer 1' }]);
  });

  it('throws the errors of the script, and one of its own at its end', async () => {
    const error = new RateLimitError('wait', { provider: 'scripted', kind: 'rate' });
    const llm = scriptedLLM({ script: [error] });
    await expect(llm.complete(request)).rejects.toBe(error);
    await expect(llm.complete(request)).rejects.toThrow(ScriptEndedError);
  });

  it('refuses what does not fit, without using up an answer', async () => {
    const llm = scriptedLLM({ script: ['Short.'], contextWindow: 100 });
    const long: CompletionRequest = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(1_000) }] }],
    };
    const error: unknown = await llm.complete(long).catch((thrown: unknown) => thrown);
    expect(ContextWindowExceededError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ kind: 'input', inputTokens: 254, contextWindow: 100 });
    expect((await llm.complete(request)).message.content).toEqual([{ type: 'text', text: 'Short.' }]);
  });

  it('rejects with the reason of the signal, and uses up nothing', async () => {
    const llm = scriptedLLM({ script: ['Done.'] });
    const reason = new Error('enough');
    await expect(llm.complete({ ...request, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await llm.complete(request);
  });

  it('tells deltas, cost and what the script sets', async () => {
    const deltas: Delta[] = [];
    const llm = scriptedLLM({
      script: [
        {
          text: 'Cut',
          toolCalls: [{ id: 'own', name: 'run', arguments: 'not JSON' }],
          finishReason: 'length',
          usage: { uncachedInputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
        },
      ],
      prices: { input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10 },
      idPrefix: 'second',
    });
    const completion = await llm.complete({ ...request, onDelta: (delta) => deltas.push(delta) });
    expect(completion).toMatchObject({ costUsd: 2, finishReason: 'length', providerResponseId: 'second-1' });
    expect(deltas).toEqual([
      { type: 'text', text: 'Cut' },
      { type: 'tool-call', index: 0, id: 'own', name: 'run', arguments: 'not JSON' },
    ]);
  });

  it('thinks in every form that a message has, and says so in deltas', async () => {
    const thinking = {
      thinkingBlocks: [{ type: 'thinking' as const, thinking: 'A.', signature: 'x' }],
      reasoningItems: [{ summary: ['B.'], encryptedContent: 'y', position: 1 }],
      reasoningContent: 'C.',
    };
    const { message } = await scriptedLLM({ script: [{ text: 'Done.', ...thinking }] }).complete(request);
    expect(message).toMatchObject(thinking);
  });

  it('hands out the pieces that the script has, and then what it ends in', async () => {
    const deltas: Delta[] = [];
    const pieces: readonly Delta[] = [
      { type: 'text', text: 'Do' },
      { type: 'text', text: 'ne.' },
    ];
    const error = new RateLimitError('wait', { provider: 'scripted', kind: 'rate' });
    const llm = scriptedLLM({ script: [{ text: 'Done.', deltas: pieces, endsIn: error }] });
    await expect(llm.complete({ ...request, onDelta: (delta) => deltas.push(delta) })).rejects.toBe(error);
    expect(deltas).toEqual(pieces);
  });

  it('waits as the script says, until the signal aborts', async () => {
    const never = new Promise<never>(() => undefined);
    const aborter = new AbortController();
    const reason = new Error('enough');
    const hanging = scriptedLLM({ script: () => never }).complete({ ...request, signal: aborter.signal });
    const heard: Delta[] = [];
    const stalled = scriptedLLM({ script: [{ text: 'I begin', until: never }] }).complete({
      ...request,
      signal: aborter.signal,
      onDelta: (delta) => heard.push(delta),
    });
    aborter.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    await expect(stalled).rejects.toBe(reason);
    const done = await scriptedLLM({ script: [{ text: 'Done.', until: Promise.resolve() }] }).complete(request);
    expect(done.message.content).toEqual([{ type: 'text', text: 'Done.' }]);
  });

  it('hears an abort that comes from the script', async () => {
    const aborter = new AbortController();
    const script = () => {
      aborter.abort();
      return new Promise<never>(() => undefined);
    };
    const call = scriptedLLM({ script }).complete({ ...request, signal: aborter.signal });
    await expect(call).rejects.toBe(aborter.signal.reason);
  });

  it('hears an abort of its own listener between two pieces', async () => {
    const aborter = new AbortController();
    const deltas: Delta[] = [];
    const llm = scriptedLLM({ script: [{ text: 'Hm.', toolCalls: [{ name: 'run' }] }] });
    const listening: CompletionRequest = {
      ...request,
      signal: aborter.signal,
      onDelta: (delta) => {
        deltas.push(delta);
        aborter.abort();
      },
    };
    await expect(llm.complete(listening)).rejects.toBe(aborter.signal.reason);
    expect(deltas).toHaveLength(1);
  });

  it('gives no cost to usage that the script calls an estimate', async () => {
    const prices = { input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10 };
    const completion = await scriptedLLM({ script: [{ usageIsEstimated: true }], prices }).complete(request);
    expect(completion.usageIsEstimated).toBe(true);
    expect(completion).not.toHaveProperty('costUsd');
  });
});
