import { describe, expect, it } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { llmByName } from './by-name/index.js';
import { limitedLLM } from './index.js';
import type { CompletionRequest, LLM } from './llm.js';
import { openaiLLM } from './openai/index.js';
import { textToolCalls } from './text-tool-calls/index.js';

// Nothing of this reaches the server: there is none.

const options = { apiKey: 'key', baseURL: 'http://127.0.0.1:1', retry: { attempts: 1 } };
const llms = [openaiLLM({ ...options, model: 'gpt-4o' }), anthropicLLM({ ...options, model: 'claude-opus-5-5' })];
const text = { type: 'text', text: 'Hello.' };

describe.each(llms)('$facts.provider', (llm) => {
  it.each<readonly [unknown, string]>([
    [{}, 'messages must be an array'],
    [{ messages: [{ role: 'user', content: 'Hello.' }] }, 'messages[0].content must be an array of parts'],
    [{ messages: [{ role: 'developer', content: [text] }] }, 'messages[0].role must be one of'],
    [{ messages: [{ role: 'user', content: [text, { type: 'image_url' }] }] }, 'messages[0].content[1] must be a text'],
    [
      { messages: [{ role: 'user', content: [{ type: 'audio' }, { type: 7 }] }] },
      'messages[0].content[1] must be a text',
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0] must be a text'],
    [{ messages: [{ role: 'tool', content: [text] }] }, 'messages[0].toolCallId must name the call'],
    [
      { messages: [{ role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'run', arguments: {} }] }] },
      'messages[0].toolCalls[0] must have an id, a name and, as text, its arguments',
    ],
    [{ messages: [], tools: [{ name: 'run', parameters: {} }] }, 'tools[0] must have a name and, as inputSchema'],
    [
      { messages: [], tools: [{ name: 'run', description: '', inputSchema: {} }], toolChoice: { tool: 'walk' } },
      "toolChoice.tool names no tool of the request: 'walk'",
    ],
    [{ messages: [], maxOutputTokens: 0 }, 'maxOutputTokens must be at least 1, not 0'],
    [
      { messages: [], effort: 'utmost' },
      "effort must be one of none, minimal, low, medium, high, xhigh, max, not 'utmost'",
    ],
    [{ messages: [], maxOutputTokens: Number.NaN }, 'maxOutputTokens must be at least 1, not NaN'],
  ])('says what is wrong with %j, and where', async (request, words) => {
    const error = await llm.complete(request as CompletionRequest).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid-request', isRetryable: false });
    expect((error as Error).message).toContain(words);
  });
});

it('a model without a name is refused at once, and so is a server that nobody knows', () => {
  expect(() => openaiLLM({ model: '' })).toThrow("openai: the option model must be a model's name, not ''");
  expect(() => anthropicLLM({} as { model: string })).toThrow('not undefined');
  expect(() => openaiLLM({ model: 'x', server: 'lm-studio' as 'lmstudio' })).toThrow(
    "no server profile has the name 'lm-studio'",
  );
});

describe('an option that does nothing is refused, by its name', () => {
  const anyOptions = (wrong: object) => wrong as Record<string, never>;
  const common = { ...options, model: 'm' };
  it.each<readonly [string, (wrong: object) => unknown]>([
    ['anthropicLLM', (wrong) => anthropicLLM({ ...common, ...anyOptions(wrong) })],
    ['openaiLLM', (wrong) => openaiLLM({ ...common, ...anyOptions(wrong) })],
    ['llmByName', (wrong) => llmByName('ollama/m', anyOptions(wrong))],
  ])('%s', async (_name, make) => {
    const refusal = async (wrong: object) => {
      const made = async () => make(wrong);
      const error: unknown = await made().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'invalid-request' });
      return (error as Error).message;
    };
    expect(await refusal({ retry: { tries: 1 } })).toContain('there is no option retry.tries');
    expect(await refusal({ maxTokens: 5 })).toMatch(/there is no option maxTokens, only .*maxOutputTokens/);
    expect(await refusal({ maxOutputTokens: '5' })).toContain('maxOutputTokens must be a whole number of at least 1');
    expect(await refusal({ effort: 'utmost' })).toContain('the option effort must be one of none, minimal, low');
    expect(await refusal({ timeoutMs: '5s' })).toContain('the option timeoutMs must be a number of milliseconds');
    await (async () => make({ timeoutMs: undefined }))();
  });

  it('of a name, whose model does not take it', async () => {
    const env = { OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key' };
    await expect(llmByName('gpt-4o', { env, effort: 'high' })).rejects.toThrow('the model gpt-4o takes no effort');
    await expect(llmByName('claude-opus-5-5', { env, effort: 'none' })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    expect((await llmByName('claude-opus-5-5', { env, effort: 'max' })).model).toBe('claude-opus-5-5');
  });

  it('of an LLM around another', () => {
    const [inner] = llms as [LLM];
    expect(() => textToolCalls(inner, anyOptions({ newID: () => 'a' }))).toThrow(
      'there is no option newID, only newId',
    );
    expect(() => limitedLLM(inner, anyOptions({ limits: {} }) as never)).toThrow(
      'there is no option limits, only limit',
    );
  });
});
