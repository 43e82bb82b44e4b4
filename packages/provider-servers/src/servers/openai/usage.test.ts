import { describe, expect, it, onTestFinished } from 'vitest';
import { post } from '../../../test-support/openai-client.js';
import { openaiServer } from './server.js';

const minuteMs = 60_000;

interface Reported {
  readonly prompt_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens?: number };
}

interface ResponsesUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
}

const look = { type: 'function', name: 'look', parameters: {}, strict: false };

/** A server whose clock a test sets. */
async function start() {
  const clock = { ms: 0 };
  const server = await openaiServer({ reply: () => ({ message: { content: 'Yes.' } }), now: () => new Date(clock.ms) });
  onTestFinished(() => server.close());
  const ask = async (words: readonly string[], fields: object = {}) => {
    const messages = words.map((content) => ({ role: 'user', content }));
    const { body } = await post(server, '/chat/completions', { model: 'gpt-5.6-sol', messages, ...fields });
    const { prompt_tokens, prompt_tokens_details: details } = (body as { readonly usage: Reported }).usage;
    return { input: prompt_tokens, cached: details.cached_tokens, written: details.cache_write_tokens };
  };
  return { ask, clock, server };
}

const long = 'x'.repeat(8_000);

describe('the prompt cache of openaiServer (B.8)', () => {
  it('reads what a request has in common with an earlier one from the start, before gpt-5.6', async () => {
    const { ask } = await start();
    await ask([long], { model: 'gpt-4o' });
    const changed = await ask([`${'x'.repeat(6_000)}y`, 'And?'], { model: 'gpt-4o' });
    expect(changed.cached).toBeGreaterThan(1_370);
    expect(changed.cached).toBeLessThan(1_520);
  });

  it('reads the whole of an earlier request, and reports what it writes, from gpt-5.6 on', async () => {
    const { ask } = await start();
    const first = await ask([long]);
    expect(first).toEqual({ input: first.input, cached: 0, written: first.input });
    const second = await ask([long, 'And?']);
    expect(second.cached).toBeGreaterThan(2_000);
    expect(second.cached + (second.written ?? 0)).toBe(second.input);
    expect((await ask([`${'x'.repeat(6_000)}y`, 'And?'])).cached).toBe(0);
  });

  describe('with explicit breakpoints', () => {
    const part = (text: string, isMarked: boolean) => ({
      type: 'text',
      text,
      ...(isMarked ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}),
    });
    /** Returns a function that tells what a request of such parts has of the cache. Parts with a star are marked. */
    const asker = async () => {
      const { server } = await start();
      return async (parts: readonly string[], fields: object = {}) => {
        const content = parts.map((name) => part(`${name.replace('*', '')} `.repeat(2_000), name.endsWith('*')));
        const body = { model: 'gpt-5.6-sol', messages: [{ role: 'user', content }], ...fields };
        const { usage } = (await post(server, '/chat/completions', body)).body as { readonly usage: Reported };
        const { cached_tokens: cached, cache_write_tokens: written = 0 } = usage.prompt_tokens_details;
        return { parts: Math.floor(cached / 1_490), written: Math.floor(written / 1_490) };
      };
    };

    it('reads at a breakpoint that both requests have, and nowhere else', async () => {
      const ask = await asker();
      await ask(['aa*', 'bb*', 'cc']);
      expect(await ask(['aa', 'bb*', 'dd'])).toEqual({ parts: 2, written: 1 });
      expect(await ask(['aa', 'bb', 'ee'])).toEqual({ parts: 0, written: 3 });
    });

    it('writes the latest three beside its own, or four without it', async () => {
      const ask = await asker();
      await ask(['aa*', 'bb*', 'cc*', 'dd*', 'ee']);
      expect((await ask(['aa*', 'xx'])).parts).toBe(0);
      expect((await ask(['aa', 'bb*', 'xx'])).parts).toBe(2);
      const explicit = { prompt_cache_options: { mode: 'explicit' }, prompt_cache_key: 'k' };
      expect(await ask(['aa*', 'bb*', 'cc*', 'dd*', 'ee'], explicit)).toEqual({ parts: 0, written: 4 });
      expect((await ask(['aa*', 'yy'], explicit)).parts).toBe(1);
      expect((await ask(['aa', 'bb', 'cc', 'dd', 'ee', 'ff*'], explicit)).parts).toBe(0);
    });

    it('changes no prefix when a breakpoint moves on', async () => {
      const ask = await asker();
      await ask(['aa*']);
      expect((await ask(['aa*', 'bb*'])).parts).toBe(1);
      expect((await ask(['aa', 'bb*', 'cc*'])).parts).toBe(2);
    });
  });

  it('reads and writes nothing below 1,024 tokens', async () => {
    const { ask } = await start();
    const short = 'x'.repeat(3_900);
    await ask([short]);
    expect(await ask([short])).toMatchObject({ cached: 0, written: 0 });
    await ask(['y'.repeat(4_000), long]);
    expect(await ask(['y'.repeat(4_000), 'z'])).toMatchObject({ cached: 0 });
  });

  it('counts tools first: another tool is another prefix', async () => {
    const { ask } = await start();
    const tool = (name: string) => [{ type: 'function', function: { name, parameters: {} } }];
    const fields = { reasoning_effort: 'none' };
    await ask([long], { ...fields, tools: tool('run') });
    expect((await ask([long], { ...fields, tools: tool('run') })).cached).toBeGreaterThan(2_000);
    expect((await ask([long], { ...fields, tools: tool('see') })).cached).toBe(0);
  });

  it('keeps keys and models apart', async () => {
    const { ask } = await start();
    await ask([long], { prompt_cache_key: 'one' });
    expect((await ask([long], { prompt_cache_key: 'two' })).cached).toBe(0);
    expect((await ask([long], { prompt_cache_key: 'one', model: 'gpt-6-sol' })).cached).toBe(0);
    expect((await ask([long], { prompt_cache_key: 'one' })).cached).toBeGreaterThan(2_000);
  });

  it('reads in steps of 128 and reports no writes before gpt-5.6', async () => {
    const { ask } = await start();
    await ask([long], { model: 'gpt-4o' });
    const { cached, written } = await ask([long], { model: 'gpt-4o' });
    expect(cached).toBeGreaterThan(1_900);
    expect(cached % 128).toBe(0);
    expect(written).toBeUndefined();
  });

  it.each([
    ['gpt-5.6-sol', 30, {}],
    ['gpt-5.6-sol', 12 * 60, { prompt_cache_options: { ttl: '12h' } }],
    ['gpt-4o', 10, {}],
    ['gpt-4o', 24 * 60, { prompt_cache_retention: '24h' }],
  ])('of %s forgets %i minutes after the last use', async (model, minutes, more) => {
    const { ask, clock } = await start();
    const fields = { model, ...more };
    await ask([long], fields);
    clock.ms += minutes * minuteMs - 1;
    expect((await ask([long], fields)).cached).toBeGreaterThan(1_900);
    clock.ms += minutes * minuteMs - 1;
    expect((await ask([long], fields)).cached).toBeGreaterThan(1_900);
    clock.ms += minutes * minuteMs;
    expect((await ask([long], fields)).cached).toBe(0);
  });

  it('is the same for Responses, where instructions count too, and results can carry breakpoints', async () => {
    const { server } = await start();
    const marked = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const result = (text: string) => [
      { type: 'function_call', call_id: text, name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: text, output: [{ type: 'input_text', text, ...marked }] },
    ];
    const usage = async (...results: readonly string[]) => {
      const user = { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] };
      const input = [user, ...results.flatMap(result)];
      const body = { model: 'gpt-6-sol', store: false, instructions: long, tools: [look], input };
      const { body: answer } = await post(server, '/responses', body);
      return (answer as { readonly usage: ResponsesUsage }).usage;
    };
    await usage('one', 'two');
    const { input_tokens, input_tokens_details: details } = await usage('one', 'three');
    expect(details.cached_tokens).toBeGreaterThan(2_000);
    expect(details.cached_tokens + details.cache_write_tokens).toBe(input_tokens);
    expect((await usage('four')).input_tokens_details.cached_tokens).toBe(0);
  });
});
