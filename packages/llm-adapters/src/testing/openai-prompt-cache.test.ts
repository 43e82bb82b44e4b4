import { describe, expect, it, onTestFinished } from 'vitest';
import { post } from './openai-raw-request.js';
import { openaiServer } from './openai-server.js';

const minuteMs = 60_000;

interface Reported {
  readonly prompt_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens?: number };
}

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
  it('reads what a request has in common with an earlier one from the start, and reports what it writes', async () => {
    const { ask } = await start();
    const first = await ask([long]);
    expect(first).toEqual({ input: first.input, cached: 0, written: first.input });
    const second = await ask([long, 'And?']);
    expect(second.cached).toBeGreaterThan(2_000);
    expect(second.cached + (second.written ?? 0)).toBe(second.input);
    const changed = await ask([`${'x'.repeat(6_000)}y`, 'And?']);
    expect(changed.cached).toBeGreaterThan(1_490);
    expect(changed.cached).toBeLessThan(1_520);
  });

  it('does not read marks: a breakpoint that moves on changes no prefix', async () => {
    const { server } = await start();
    const marked = { type: 'text', text: long, prompt_cache_breakpoint: { mode: 'explicit' } };
    const ask = async (...contents: readonly unknown[]) => {
      const messages = contents.map((content) => ({ role: 'user', content }));
      const { body } = await post(server, '/chat/completions', { model: 'gpt-5.6-sol', messages });
      return (body as { readonly usage: Reported }).usage.prompt_tokens_details.cached_tokens;
    };
    expect(await ask([marked])).toBe(0);
    expect(await ask(long, [marked])).toBeGreaterThan(2_000);
    expect(await ask(long, long, [marked])).toBeGreaterThan(4_000);
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

  it('is the same for Responses, where instructions count too', async () => {
    const { server } = await start();
    const body = { model: 'gpt-6-sol', store: false, instructions: long, input: 'Go.' };
    await post(server, '/responses', body);
    const { body: answer } = await post(server, '/responses', { ...body, input: 'Go on.' });
    const { usage } = answer as {
      readonly usage: {
        input_tokens: number;
        input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
      };
    };
    const { cached_tokens, cache_write_tokens } = usage.input_tokens_details;
    expect(cached_tokens).toBeGreaterThan(2_000);
    expect(cached_tokens + cache_write_tokens).toBe(usage.input_tokens);
  });
});
