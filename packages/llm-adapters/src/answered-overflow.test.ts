import type { Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { json, start, thrownBy } from '../test-support/stepwise-server.js';
import type { Step } from '../test-support/stepwise-server.js';
import { openaiLLM } from './openai/index.js';
import type { SdkLLMOptions } from './sdk-llm.js';

describe('an overflow that a server answers with 200', () => {
  const answered = (usage: object, finish_reason: string, content: string | null) =>
    json(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'qwen3',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
      usage,
    });
  const ask = async (step: Step, text: string, options: Partial<SdkLLMOptions> = {}) => {
    const server = await start(step);
    const llm = openaiLLM({ model: 'qwen3', baseURL: server.url, ...options });
    return llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
  };
  const overflow = { code: 'context-window-exceeded', kind: 'input', statusCode: 200, isRetryable: false };

  it('is seen where the server counts more than its window', async () => {
    const step = answered({ prompt_tokens: 9_000, completion_tokens: 5 }, 'stop', 'Hello.');
    const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(900);
    expect(await thrownBy(ask(step, prose, { contextWindow: 8_192 }))).toMatchObject({
      ...overflow,
      inputTokens: 9_000,
      contextWindow: 8_192,
    });
    expect((await ask(step, prose, { contextWindow: 16_384 })).finishReason).toBe('stop');
    // A server, or a proxy, that adds up its calls.
    expect((await ask(step, 'Hello.', { contextWindow: 8_192 })).finishReason).toBe('stop');
  });

  it('is not suspected where a server counts only what its cache did not hold, and still seen where it cuts', async () => {
    const prose = 'The quick brown fox jumps over the lazy dog. ';
    const said = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
    const answersTo = async (counts: readonly number[]) => {
      const steps = counts.map((prompt_tokens) => answered({ prompt_tokens, completion_tokens: 5 }, 'stop', 'Hello.'));
      const llm = openaiLLM({ model: 'qwen3', baseURL: (await start(...steps)).url });
      const messages = [said(prose.repeat(700))];
      const outcomes: string[] = [];
      for (const _ of counts) {
        const outcome = await llm.complete({ messages }).then(() => 'answer', () => 'overflow'); // prettier-ignore
        outcomes.push(outcome);
        messages.push(said(prose.repeat(40)));
      }
      // A condensed history begins anew, and its beginning is in the cache.
      const [first] = messages as [Message];
      const condensed = await llm.complete({ messages: [{ ...first }] }).then(() => 'answer', () => 'overflow'); // prettier-ignore
      return [...outcomes, condensed];
    };
    expect(await answersTo([7_000, 420, 410, 430])).toEqual(['answer', 'answer', 'answer', 'answer', 'answer']);
    expect(await answersTo([7_000, 7_400, 3_000, 3_000])).toEqual([
      'answer',
      'answer',
      'overflow',
      'overflow',
      'overflow',
    ]);
  });

  it('is seen where no room is left for an answer', async () => {
    const step = answered({ prompt_tokens: 8_150, completion_tokens: 0 }, 'length', null);
    expect(await thrownBy(ask(step, 'Hello.', { contextWindow: 8_192 }))).toMatchObject(overflow);
    expect((await ask(step, 'Hello.', { contextWindow: 16_384 })).finishReason).toBe('length');
  });

  it('is seen where the server cut the history from the front', async () => {
    const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000);
    const step = answered({ prompt_tokens: 2_048, completion_tokens: 5 }, 'stop', 'Hello.');
    expect(await thrownBy(ask(step, prose))).toMatchObject(overflow);
  });

  it('is not suspected where text is merely easy to shorten', async () => {
    const ruled = `${'='.repeat(60_000)}${' '.repeat(60_000)}`;
    const step = answered({ prompt_tokens: 2_048, completion_tokens: 5 }, 'stop', 'Hello.');
    expect((await ask(step, ruled)).finishReason).toBe('stop');
    // An engine remembers each repetition of a run, and the stack ends at some millions of them.
    expect((await ask(step, 'x'.repeat(5_000_000))).finishReason).toBe('stop');
    // 0 is what servers say who do not count.
    const uncounted = answered({ prompt_tokens: 0, completion_tokens: 0 }, 'stop', 'Hello.');
    expect((await ask(uncounted, 'word '.repeat(10_000))).finishReason).toBe('stop');
  });
});
