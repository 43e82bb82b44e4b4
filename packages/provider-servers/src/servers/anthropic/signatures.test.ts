import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicServer } from './server.js';
import type { AnthropicServerOptions } from './server.js';
import type { ProviderServer } from '../http.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { post, postStreamed } from '../../../test-support/anthropic-client.js';

// provider-rules A17 and A.6: raw requests, and what the server signed sent back to it.

interface Turn {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

const beta = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
const dropping = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
const boundElsewhere = 'The block is bound to a different conversation.';
const cannotBeModified = 'blocks in the latest assistant message cannot be modified.';

const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: JsonObject[]): Turn => ({ role: 'user', content });
const result = (id: string, content = 'all is well') => ({ type: 'tool_result', tool_use_id: id, content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { place: id } });
const thought = (words: string) => ({ type: 'thinking', thinking: words });
const isThought = ({ type }: JsonObject) => type === 'thinking' || type === 'redacted_thinking';

/** Two thoughts with words between them, one of them redacted, and a call. */
const interleaved = (id: string) => [thought(`one ${id}`), text('Hm.'), { type: 'redacted_thinking' }, call(id)];
const plain = (id: string) => [thought(`about ${id}`), call(id)];

async function start(options: Partial<AnthropicServerOptions> = {}) {
  const server = await anthropicServer({ reply: (_body, index) => ({ content: plain(`call_${index}`) }), ...options });
  onTestFinished(() => server.close());
  return server;
}

const request = (messages: readonly Turn[], fields: JsonObject = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  system: 'You look after a ship.',
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
  messages,
  ...fields,
});

/** Goes on with a conversation: each answer, then the results of its calls. */
async function goOn(
  server: ProviderServer,
  messages: readonly Turn[],
  {
    steps = 1,
    fields = {},
    headers = {},
  }: { steps?: number; fields?: JsonObject; headers?: Record<string, string> } = {},
): Promise<readonly Turn[]> {
  let all = messages;
  for (let step = 0; step < steps; step += 1) {
    const { body, refusal } = await post(server, request(all, fields), { headers });
    expect(refusal).toBe('');
    const content = body.content as readonly JsonObject[];
    const results = content.filter(({ type }) => type === 'tool_use').map(({ id }) => result(String(id)));
    all = [...all, { role: 'assistant', content }, user(...results)];
  }
  return all;
}

const begin = user(text('Look everywhere.'));

/** One message with its blocks changed. */
const edited = (
  messages: readonly Turn[],
  at: number,
  edit: (content: readonly JsonObject[]) => readonly JsonObject[],
) => messages.map((message, index) => (index === at ? { ...message, content: edit(message.content) } : message));
const withoutThinking = (messages: readonly Turn[], ...at: number[]) =>
  at.reduce((all, index) => edited(all, index, (content) => content.filter((block) => !isThought(block))), messages);
const block = (at: number, fields: JsonObject) => (content: readonly JsonObject[]) =>
  content.map((value, index) => (index === at ? { ...value, ...fields } : value));

describe('thinking that a model binds', () => {
  it('is signed, whatever signature the author gave it', async () => {
    const server = await start({
      reply: () => ({ content: [{ ...thought('Hm.'), signature: 'mine' }, text('Yes.')] }),
    });
    const { body } = await post(server, request([begin]));
    const [signed] = body.content as readonly JsonObject[];
    expect(signed).toMatchObject({ thinking: 'Hm.' });
    expect(signed?.signature).not.toBe('mine');
    const sent = [
      begin,
      { role: 'assistant', content: [{ ...thought('Hm.'), signature: 'mine' }, text('Yes.')] },
      begin,
    ];
    expect((await post(server, request(sent))).refusal).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
  });

  it('passes as it was, with other parameters, marks of the cache and ways to write the same', async () => {
    const server = await start({ reply: (_body, index) => ({ content: interleaved(`call_${index}`) }) });
    const messages = await goOn(server, [begin], { steps: 3 });
    const marked = edited(messages, 0, block(0, { cache_control: { type: 'ephemeral' } }));
    const asText = marked.map((message, index) =>
      index === 0 ? { ...message, content: 'Look everywhere.' } : message,
    );
    const fields = {
      max_tokens: 2_000,
      tool_choice: { type: 'any' },
      output_config: { effort: 'low' },
      system: [{ ...text('You look after a ship.'), cache_control: { type: 'ephemeral' } }],
    };
    expect((await post(server, request(marked, fields))).refusal).toBe('');
    expect((await post(server, { ...request([]), messages: asText })).refusal).toBe('');
    const otherwise = edited(messages, 2, ([first]) => [
      { is_error: false, content: [text('all is well')], tool_use_id: first?.tool_use_id, type: 'tool_result' },
    ]);
    expect((await post(server, request(otherwise))).refusal).toBe('');
  });

  it.each<[string, (messages: readonly Turn[]) => readonly Turn[], JsonObject, string]>([
    ['another system prompt', (messages) => messages, { system: 'You look after two ships.' }, 'messages.1.content.0'],
    ['another tool', (messages) => messages, { tools: [{ name: 'look' }, { name: 'go' }] }, 'messages.1.content.0'],
    ['another task', (messages) => edited(messages, 0, () => [text('Look!')]), {}, 'messages.1.content.0'],
    [
      'an old result that is cleared',
      (messages) => edited(messages, 2, block(0, { content: 'cleared' })),
      {},
      'messages.3.content.0',
    ],
    [
      'the input of an old call',
      (messages) => edited(messages, 1, block(1, { input: {} })),
      {},
      'messages.3.content.0',
    ],
    ['a step that is gone', (messages) => messages.toSpliced(1, 2), {}, 'messages.1.content.0'],
    [
      'words that were added',
      (messages) => edited(messages, 2, (old) => [...old, text('!')]),
      {},
      'messages.3.content.0',
    ],
  ])('does not pass after %s', async (_what, edit, fields, path) => {
    const server = await start();
    const messages = await goOn(server, [begin], { steps: 3 });
    const { status, refusal } = await post(server, request(edit(messages), fields));
    expect(status).toBe(400);
    expect(refusal).toContain(`${path}: Invalid \`signature\` in \`thinking\` block. ${boundElsewhere}`);
    expect(refusal).toContain(
      'requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header',
    );
  });

  it('passes with another deferred tool, which is neither counted nor cached', async () => {
    const server = await start();
    const messages = await goOn(server, [begin], { steps: 2 });
    const look = { name: 'look', input_schema: { type: 'object' } };
    const deferred = { name: 'dig', description: 'digs '.repeat(500), input_schema: {}, defer_loading: true };
    const usageWith = async (tools: readonly object[]) => {
      const { body, refusal } = await post(server, request(messages, { tools }));
      expect(refusal).toBe('');
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = body.usage as Record<
        string,
        number
      >;
      return [input_tokens, cache_read_input_tokens, cache_creation_input_tokens].reduce((a = 0, b = 0) => a + b, 0);
    };
    expect(await usageWith([look, deferred])).toBe(await usageWith([look]));
  });

  it('names the system prompt as what differs', async () => {
    const server = await start();
    const messages = await goOn(server, [begin]);
    expect((await post(server, request(messages, { system: '' }))).refusal).toContain(
      'The `system` prompt differs from the one this block was created with.',
    );
  });

  it('may be gone from the start, from the end and everywhere, never from the middle', async () => {
    const server = await start();
    const messages = await goOn(server, [begin], { steps: 3 });
    const refusal = async (...at: number[]) => (await post(server, request(withoutThinking(messages, ...at)))).refusal;
    expect(await refusal(1)).toBe('');
    expect(await refusal(1, 3)).toBe('');
    expect(await refusal(5)).toBe('');
    expect(await refusal(3, 5)).toBe('');
    expect(await refusal(1, 3, 5)).toBe('');
    expect(await refusal(3)).toContain(`messages.5.content.0: Invalid`);
  });

  it('passes when everything after an edit is gone, and is not put back', async () => {
    const server = await start();
    const old = await goOn(server, [begin], { steps: 2 });
    const cleared = edited(old, 2, block(0, { content: 'cleared' }));
    const messages = await goOn(server, withoutThinking(cleared, 1, 3), { steps: 2 });
    const restored = messages.map((message, index) => (index === 1 ? (old[1] ?? message) : message));
    expect((await post(server, request(restored))).refusal).toContain('messages.5.content.0: Invalid');
  });

  it('is checked by a count too', async () => {
    const server = await start();
    const { max_tokens: _, ...messages } = request(await goOn(server, [begin]));
    const path = '/v1/messages/count_tokens';
    expect(await post(server, messages, { path })).toMatchObject({ status: 200 });
    expect((await post(server, { ...messages, system: 'x' }, { path })).refusal).toContain(boundElsewhere);
  });

  it('is dropped from the edit on when the request asks for that', async () => {
    const server = await start();
    const messages = await goOn(server, [begin], { steps: 3 });
    const cleared = edited(messages, 2, block(0, { content: 'cleared' }));
    const drop = (path: string) => ({ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' });
    const gone = [drop('messages.3.content.0'), drop('messages.5.content.0')];
    const { body } = await post(server, request(cleared, dropping), { headers: beta });
    expect(body.input_transformations).toEqual(gone);
    const without = await post(server, request(withoutThinking(cleared, 3, 5)));
    expect((body.usage as JsonObject).input_tokens).toBe((without.body.usage as JsonObject).input_tokens);

    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: beta,
      body: JSON.stringify({ ...request(cleared, dropping), stream: true }),
    });
    expect((await response.text()).split('\n\n')[0]).toContain(`"input_transformations":${JSON.stringify(gone)}`);
  });

  it('goes on after a drop', async () => {
    const server = await start();
    const options = { fields: dropping, headers: beta };
    const old = await goOn(server, [begin], { steps: 2 });
    const cleared = edited(old, 2, block(0, { content: 'cleared' }));
    const messages = await goOn(server, cleared, { ...options, steps: 1 });
    expect((await post(server, request(withoutThinking(messages, 3)))).refusal).toBe('');
    await goOn(server, messages, options);
  });

  it('says nothing of drops to a request without the header', async () => {
    const server = await start();
    expect((await post(server, request([begin]))).body).not.toHaveProperty('input_transformations');
    expect((await post(server, request([begin]), { headers: beta })).body).toMatchObject({ input_transformations: [] });
  });

  it('of Mythos 5.1 is bound and not checked', async () => {
    const server = await start();
    const model = { model: 'claude-mythos-5-1' };
    const messages = await goOn(server, [begin], { steps: 2, fields: model });
    const { status, body } = await post(server, request(messages, { ...model, system: 'x' }), { headers: beta });
    expect(status).toBe(200);
    expect(body.input_transformations).toEqual([
      { type: 'thinking_mismatch_allowed', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
    ]);
  });
});

describe('thinking of the latest answer', () => {
  const last = 3;
  const swapped = (content: readonly JsonObject[]) => [content[2], content[1], content[0], content[3]] as JsonObject[];
  it.each<[string, (content: readonly JsonObject[]) => readonly JsonObject[]]>([
    ['modified', block(0, { thinking: 'another thought' })],
    ['emptied', block(0, { thinking: '' })],
    ['reordered', swapped],
    ['without its first', (content) => content.slice(1)],
    ['without its last', (content) => content.toSpliced(2, 1)],
  ])('does not pass %s', async (_what, edit) => {
    const server = await start({ reply: (_body, index) => ({ content: interleaved(`call_${index}`) }) });
    for (const fields of [{}, { model: 'claude-opus-5' }]) {
      const messages = await goOn(server, [begin], { steps: 2, fields });
      const { status, refusal } = await post(server, request(edited(messages, last, edit), fields));
      expect(status).toBe(400);
      expect(refusal).toContain(`\`thinking\` or \`redacted_thinking\` ${cannotBeModified}`);
    }
  });

  it('passes without words, when it came without', async () => {
    const server = await start({ reply: (_body, index) => ({ content: [thought(''), call(`call_${index}`)] }) });
    await goOn(server, [begin], { steps: 3 });
  });
});

describe('thinking of any answer', () => {
  const models = ['claude-opus-5-5', 'claude-opus-5', 'claude-sonnet-4-5'];
  it.each(models)('does not pass with a forged signature: %s', async (model) => {
    const server = await start({ reply: (_body, index) => ({ content: interleaved(`call_${index}`) }) });
    const thinking = model === 'claude-sonnet-4-5' ? { type: 'enabled', budget_tokens: 1_024 } : { type: 'adaptive' };
    const fields = { model, thinking, max_tokens: 2_000 };
    const messages = await goOn(server, [begin], { steps: 2, fields });
    const refusal = async (at: number, change: JsonObject) =>
      (await post(server, request(edited(messages, 1, block(at, change)), fields))).refusal;
    expect(await refusal(0, { signature: 'forged' })).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
    expect(await refusal(0, { signature: undefined })).toContain('messages.1.content.0: Invalid');
    expect(await refusal(0, { thinking: 'another thought' })).toContain('messages.1.content.0: Invalid');
    expect(await refusal(2, { data: 'forged' })).toContain('messages.1.content.2: Invalid');
  });

  it('passes after an edit when the model does not bind', async () => {
    const server = await start();
    const fields = { model: 'claude-opus-5' };
    const messages = await goOn(server, [begin], { steps: 3, fields });
    const cleared = edited(withoutThinking(messages, 3), 2, block(0, { content: 'cleared' }));
    expect((await post(server, request(cleared, { ...fields, system: 'x' }))).refusal).toBe('');
  });

  it('is dropped without a word by a model that cannot read it', async () => {
    const server = await start();
    const messages = await goOn(server, [begin], { steps: 1 });
    const other = { model: 'claude-sonnet-5-5', system: 'x' };
    expect((await post(server, request(messages, other))).refusal).toBe('');
    expect((await post(server, request(messages, other), { headers: beta })).body.input_transformations).toEqual([
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' },
    ]);
    const mixed = await goOn(server, await goOn(server, messages, { fields: { model: other.model } }), { steps: 2 });
    expect(mixed).toHaveLength(9);
  });

  it('of Haiku 5.5 can be read by others, and is bound there', async () => {
    const server = await start();
    const messages = await goOn(server, [begin], { fields: { model: 'claude-haiku-5-5' } });
    expect((await post(server, request(messages), { headers: beta })).body.input_transformations).toEqual([]);
    expect((await post(server, request(messages, { system: 'x' }))).refusal).toContain(boundElsewhere);
  });

  it('passes at another server with the same key', async () => {
    const messages = await goOn(await start(), [begin], { steps: 2 });
    const answer = { reply: () => ({ content: [text('Yes.')] }) };
    expect((await post(await start(answer), request(messages))).refusal).toBe('');
    const other = await start({ ...answer, signingKey: 'another' });
    expect((await post(other, request(messages))).refusal).toContain('Invalid `signature`');
  });

  it('passes anyhow at a server that does not look', async () => {
    const server = await start({ checksSignatures: false });
    const forged = [begin, { role: 'assistant', content: [{ ...thought('Hm.'), signature: 'x' }, call('call_9')] }];
    expect((await post(server, request([...forged, user(result('call_9'))]))).refusal).toBe('');
  });

  it('comes signed in a stream too', async () => {
    const server = await start();
    const { events } = await postStreamed(server, request([begin]));
    const delta = events.map(({ data }) => (data as JsonObject).delta as JsonObject | undefined);
    const signature = delta.find((value) => value?.type === 'signature_delta')?.signature;
    const content = [{ ...thought('about call_0'), signature }, call('call_0')];
    const messages = [begin, { role: 'assistant', content }, user(result('call_0'))];
    expect((await post(server, request(messages))).refusal).toBe('');
  });
});
