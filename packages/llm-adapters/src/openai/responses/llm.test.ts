import type { AssistantMessage, Message } from '@palimpsest/events';
import { openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIServerOptions } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CompletionRequest } from '../../index.js';
import { openaiLLM } from '../llm.js';
import type { OpenAILLMOptions } from '../llm.js';
import { fromResponse } from './response.js';
import { responseOfEvents } from './stream.js';

// The package `openai` talks over HTTP to a server that refuses what the Responses API refuses: reasoning that is altered, out
// of place, of somebody else or left alone, calls and results that do not match, ids that do not fit.

const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (words: string): Message => ({ role: 'user', content: [text(words)] });
const result = (toolCallId: string, content: Message['content'] = [text('ok')]): Message => ({
  role: 'tool',
  toolCallId,
  toolName: 'files.read',
  content,
});
const tools = [{ name: 'files.read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }];

const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I think.' }] };
const says = (words: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words, annotations: [] }],
});
const call = (call_id: string, name: string) => ({ type: 'function_call', call_id, name, arguments: '{"path":"a"}' });
const nameIn = (body: { tools?: unknown }) => (body.tools as { name: string }[])[0]?.name ?? '';

async function connect(options: Partial<OpenAIServerOptions> & { llm?: Partial<OpenAILLMOptions> }) {
  const { llm: own, ...rest } = options;
  const server = await openaiServer({ reply: () => ({ output: [says('Hello.')] }), ...rest });
  onTestFinished(() => server.close());
  const llm = openaiLLM({
    model: 'gpt-6.2-sol',
    apiKey: 'sk-test-0123456789',
    baseURL: server.baseURL,
    server: 'openai',
    retry: { attempts: 1 },
    ...own,
  });
  const bodies = () => server.requests.map(({ body }) => body as Record<string, unknown> & { input: unknown[] });
  return { server, llm, bodies };
}

const asked = (extra: Partial<CompletionRequest> = {}): CompletionRequest => ({ messages: [user('Go.')], ...extra });
const listening = () => ({ onDelta: () => undefined });

describe('the Responses API', () => {
  it('is asked where a model needs it for tools, and keeps nothing at the provider', async () => {
    const { llm, server, bodies } = await connect({});
    await llm.complete(asked({ tools, maxOutputTokens: 50, cache: { key: 'conversation-1' } }));
    expect(server.requests[0]?.path).toBe('/v1/responses');
    expect(bodies()[0]).toEqual({
      model: 'gpt-6.2-sol',
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }],
      max_output_tokens: 50,
      tools: [
        {
          type: 'function',
          name: expect.stringMatching(/^files_read_/) as string,
          description: 'Reads.',
          parameters: tools[0]?.inputSchema,
          strict: false,
        },
      ],
      prompt_cache_key: 'conversation-1',
    });
  });

  it('is left for Chat Completions on demand, and where the model is an older one', async () => {
    for (const own of [{ api: 'chat-completions' as const, model: 'gpt-6-luna' }, { model: 'gpt-4o' }]) {
      const { llm, server } = await connect({ llm: own, reply: () => ({ message: { content: 'Hello.' } }) });
      await llm.complete(asked({ tools }));
      expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    }
  });

  it('is asked for no reasoning of a model that has none', async () => {
    const { llm, bodies } = await connect({ llm: { model: 'gpt-4o', api: 'responses' } });
    await llm.complete(asked());
    expect(bodies()[0]).not.toHaveProperty('include');
  });

  it.each(['streamed', 'whole'])('carries an agent run with reasoning between its calls: %s', async (how) => {
    const { llm, bodies } = await connect({
      reply: (body, index) => {
        if (index > 1) return { output: [reasoning, says('Done.')] };
        const name = nameIn(body);
        const id = `call_${index}`;
        return {
          output: [
            reasoning,
            says('I look.'),
            reasoning,
            call(`${id}_a`, name),
            call(`${id}_b`, name),
            reasoning,
            call(`${id}_c`, name),
          ],
        };
      },
    });
    const messages: Message[] = [user('What is in them?')];
    const stream = how === 'streamed' ? listening() : {};
    for (let step = 0; step < 3; step++) {
      const { message } = await llm.complete({ messages: [...messages], tools, ...stream });
      messages.push(message, ...(message.toolCalls ?? []).map(({ id }) => result(id)));
    }
    const first = messages[1] as AssistantMessage;
    expect(first.toolCalls?.map(({ id, name, itemId }) => [id, name, itemId?.slice(0, 3)])).toEqual([
      ['call_0_a', 'files.read', 'fc_'],
      ['call_0_b', 'files.read', 'fc_'],
      ['call_0_c', 'files.read', 'fc_'],
    ]);
    expect(first.reasoningItems?.map(({ position }) => position)).toEqual([undefined, 1, 3]);
    const [one, two, three] = bodies().map(({ input }) => input);
    expect(two?.slice(0, one?.length)).toEqual(one);
    expect(three?.slice(0, two?.length)).toEqual(two);
    const types = (three as { type: string }[]).map(({ type }) => type);
    expect(types.slice(1, 8)).toEqual([
      'reasoning',
      'message',
      'reasoning',
      'function_call',
      'function_call',
      'reasoning',
      'function_call',
    ]);
  });

  it('takes a history that was condensed: without reasoning, with some of it, with reasoning that lost what it led to', async () => {
    const { llm } = await connect({
      reply: (body, index) =>
        index === 0
          ? { output: [reasoning, says('Well.'), reasoning, call('call_1', nameIn(body))] }
          : { output: [says('Done.')] },
    });
    const { message } = await llm.complete(asked({ tools }));
    const { reasoningItems = [], ...bare } = message;
    const { toolCalls: _, ...wordsOnly } = message;
    for (const kept of [bare, { ...message, reasoningItems: reasoningItems.slice(1) }, { ...message, content: [] }]) {
      await expect(llm.complete({ messages: [user('Go.'), kept, result('call_1')], tools })).resolves.toBeDefined();
    }
    await expect(llm.complete({ messages: [user('Go.'), wordsOnly, user('And?')], tools })).resolves.toBeDefined();
  });

  it('sends images with the results that they belong to, later instructions, and errors that say nothing', async () => {
    const image = { type: 'image' as const, url: 'data:image/png;base64,iVBO' };
    const { llm, bodies } = await connect({});
    const calls: AssistantMessage = {
      role: 'assistant',
      content: [],
      toolCalls: [{ id: 'a', name: 'run', arguments: 'ls' }],
    };
    const failed: Message = { role: 'tool', toolCallId: 'a', toolName: 'run', content: [], isError: true };
    await llm.complete({
      messages: [
        { role: 'system', content: [text('Be short.')] },
        user('Go.'),
        { ...calls, toolCalls: [{ id: 'b', name: 'run', arguments: '{}' }] },
        result('b', [text('See:'), image]),
        { role: 'system', content: [text('It is late.')] },
        calls,
        failed,
      ],
    });
    expect(bodies()[0]).toMatchObject({
      instructions: 'Be short.',
      input: [
        { role: 'user' },
        { type: 'function_call', call_id: 'b' },
        {
          type: 'function_call_output',
          call_id: 'b',
          output: [
            { type: 'input_text', text: 'See:' },
            { type: 'input_image', image_url: image.url },
          ],
        },
        { role: 'developer', content: [{ type: 'input_text', text: 'It is late.' }] },
        { type: 'function_call', arguments: '{"unparsed_arguments":"ls"}' },
        { type: 'function_call_output', output: expect.stringContaining('failed') as string },
      ],
    });
  });

  it('is told how to think, what to call and what to answer', async () => {
    const { llm, bodies } = await connect({
      llm: { effort: 'high', reasoningSummary: 'auto', parallelToolCalls: false, cacheTtl: '12h' },
    });
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    await llm.complete(
      asked({ tools, toolChoice: { tool: 'files.read' }, responseFormat: { name: 'answer', schema } }),
    );
    expect(bodies()[0]).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
      parallel_tool_calls: false,
      tool_choice: { type: 'function', name: expect.stringMatching(/^files_read_/) as string },
      prompt_cache_options: { ttl: '12h' },
      text: {
        format: {
          type: 'json_schema',
          name: 'answer',
          strict: true,
          schema: { ...schema, additionalProperties: false },
        },
      },
    });
  });

  it('counts what was cached, written and reasoned', async () => {
    const usage = {
      input_tokens: 1_000,
      input_tokens_details: {
        cached_tokens: 600,
        cache_write_tokens: 300,
        cache_write_tokens_details: { ttl_12h_tokens: 100 },
      },
      output_tokens: 200,
      output_tokens_details: { reasoning_tokens: 150 },
      total_tokens: 1_200,
    };
    const prices = { input: 2, cacheRead: 0.1, cacheWrite: 2.5, cacheWriteByTtl: { '12h': 5 }, output: 10 };
    const { llm } = await connect({ reply: () => ({ output: [says('Hi.')], usage }), llm: { prices } });
    expect(await llm.complete(asked())).toMatchObject({
      usage: {
        uncachedInputTokens: 100,
        cacheReadTokens: 600,
        cacheWriteTokens: 300,
        outputTokens: 200,
        reasoningTokens: 150,
      },
      costUsd: expect.closeTo((100 * 2 + 600 * 0.1 + 200 * 2.5 + 100 * 5 + 200 * 10) / 1e6, 12) as number,
    });
  });

  it.each(['incomplete', 'in_progress', 'queued'])('is not finished under the status %s without a reason', (status) => {
    for (const incomplete_details of [null, {}]) {
      const response = { id: 'resp_1', status, incomplete_details, output: [says('Once up')] } as never;
      expect(fromResponse(response, { request: asked(), model: 'm' }).finishReason).toBe('interrupted');
    }
  });

  it.each(['responses', 'chat-completions'] as const)('extends what is cached from step to step: %s', async (api) => {
    const { llm } = await connect({
      llm: { model: 'gpt-6-luna', api },
      reply: (body) => {
        const called = (body.tools as { name?: string; function?: { name: string } }[])[0];
        const name = called?.name ?? called?.function?.name;
        return { message: { tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }] } };
      },
    });
    const messages: Message[] = [user('x'.repeat(8_000))];
    const read: number[] = [];
    for (let step = 0; step < 4; step++) {
      const cache = { key: 'conversation-1', stableMessages: messages.length };
      const { message, usage } = await llm.complete({ messages: [...messages], tools, cache });
      read.push(usage.cacheReadTokens);
      messages.push(message, ...(message.toolCalls ?? []).map(({ id }) => result(id)));
    }
    expect(read[0]).toBe(0);
    expect(read[1]).toBeGreaterThan(1_900);
    expect(read.slice(1)).toEqual([...read.slice(1)].sort((one, two) => one - two));
    expect(new Set(read).size).toBe(4);
  });

  it('may refuse', async () => {
    const refusal = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] };
    const { llm } = await connect({ reply: () => ({ output: [refusal] }) });
    for (const stream of [{}, listening()]) {
      expect(await llm.complete(asked(stream))).toMatchObject({
        finishReason: 'content-filter',
        message: { content: [text('I will not.')] },
      });
    }
  });
});

describe('the Responses API, when something goes wrong', () => {
  it.each([
    ['server_error', 'service-unavailable', true],
    ['rate_limit_exceeded', 'rate-limit', true],
    ['invalid_prompt', 'content-policy', false],
  ])('%s, after status 200, is %s', async (code, expected, isRetryable) => {
    const { llm } = await connect({ reply: () => ({ output: [], failure: { code, message: 'Sorry.' } }) });
    for (const stream of [{}, listening()]) {
      await expect(llm.complete(asked(stream))).rejects.toMatchObject({ code: expected, isRetryable });
    }
  });

  it('keeps an answer whose connection is lost when it is closed behind the last event', async () => {
    const response = { id: 'resp_1', output: [says('Hello.')] };
    const events = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ value: { type: 'response.completed', response } }),
        return: () => Promise.reject(new TypeError('terminated')),
      }),
    };
    expect(await responseOfEvents(events as never, () => undefined)).toEqual(response);
  });

  it('calls reasoning of another organisation a malformed history', async () => {
    const there = await connect({ organization: 'org-there', reply: () => ({ output: [reasoning, says('Hello.')] }) });
    const here = await connect({});
    const { message } = await there.llm.complete(asked());
    await expect(here.llm.complete({ messages: [user('Go.'), message, user('And?')] })).rejects.toMatchObject({
      code: 'malformed-history',
    });
  });
});
