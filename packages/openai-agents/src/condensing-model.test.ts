import { describe, expect, it } from 'vitest';
import { condensingModel } from './index.js';
import type { CondensingModelOptions, ModelLike } from './index.js';
import type { ModelRequestLike } from './model-like.js';

const usage = {
  requests: 1,
  inputTokens: 900,
  outputTokens: 5,
  totalTokens: 905,
  inputTokensDetails: [{ cached_tokens: 700 }],
};
const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }];

/** A model that answers as the Agents SDK's models do. */
const model: ModelLike = {
  getResponse: () => Promise.resolve({ output, usage }),
  async *getStreamedResponse() {
    yield { type: 'response_started' };
    yield { type: 'output_text_delta', delta: 'Hello.' };
    yield { type: 'response_done', response: { id: 'r', output, usage } };
  },
};

/** A condenser that reads what providers have counted, and what it takes requests for. */
function watcher() {
  const sizes: number[] = [];
  let sent: readonly unknown[] = [];
  const condenser: CondensingModelOptions['condenser'] = {
    name: 'watching',
    condense: (view, { fixedTokens = 0 } = {}) => {
      sizes.push(view.tokens() + fixedTokens);
      sent = [...view.internalEvents].flatMap((event) => (event.type === 'llm-usage' ? [event.usage] : []));
      return view;
    },
  };
  return { condenser, sizes, usages: () => sent };
}

const request = (fields: Partial<ModelRequestLike> = {}): ModelRequestLike => ({
  input: [{ role: 'user', content: 'Hello.' }],
  tools: [],
  handoffs: [],
  ...fields,
});

describe('condensingModel', () => {
  it.each([false, true])('records what the provider counts, streamed: %s', async (stream) => {
    const { condenser, usages } = watcher();
    const condensing = condensingModel(model, { condenser });
    for (let call = 0; call < 3; call++) {
      if (!stream) await condensing.getResponse(request());
      else for await (const _ of condensing.getStreamedResponse(request()));
    }
    const counted = { uncachedInputTokens: 200, cacheReadTokens: 700, cacheWriteTokens: 0, outputTokens: 5 };
    expect(usages()).toEqual([counted, counted]);
  });

  it('counts long instructions and tools once, as words in a message', async () => {
    const { condenser, sizes } = watcher();
    const condensing = condensingModel(model, { condenser });
    const systemInstructions = '请阅读项目中的所有文件。'.repeat(500);
    const tools = Array.from({ length: 100 }, (_, index) => ({
      type: 'function',
      name: `tool_${index}`,
      description: systemInstructions.slice(0, 100),
      parameters: { type: 'object', properties: {} },
    }));
    const words = [systemInstructions, JSON.stringify(tools)].map((content) => ({ role: 'user', content }));
    await condensing.getResponse(request({ systemInstructions, tools }));
    await condensing.getResponse(request({ input: [...words, { role: 'user', content: 'Hello.' }] }));
    const [beside, within] = sizes;
    expect(within).toBeGreaterThan(10_000);
    expect(beside).toBe(within);
  });
});
