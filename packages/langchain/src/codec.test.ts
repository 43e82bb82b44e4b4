import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { noOpCondenser } from '@palimpsest/condensers';
import { chatMessages, condensedHistory } from '@palimpsest/messages';
import { codecContract } from '@palimpsest/messages/testing';
import { sentTo } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { plainConversation, richConversation, toolSteps } from '../test-support/conversations.js';
import { chatModel, scriptedModel } from '../test-support/scripted-model.js';
import type { Api } from '../test-support/scripted-model.js';
import { condensing, condensingEdit, langchainMessages } from './index.js';

const codec = langchainMessages();

describe("the codec of LangChain's messages", () => {
  codecContract({
    test,
    create: () => langchainMessages(),
    conversations: () => [plainConversation(), richConversation()],
  });

  it('refuses an option that does not exist at once, and knows the options of this package', () => {
    const condenser = noOpCondenser();
    for (const make of [condensing, condensingEdit]) {
      expect(() => make({ condenser, condenserTimeout: 1_000 } as never)).toThrow("Did you mean 'condenserTimeoutMs'?");
    }
    expect(() => condensing({ condenser, recall: true, onFit: () => undefined })).not.toThrow();
  });

  it('says what it does not read of another form', async () => {
    const answer = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] };
    const history = condensedHistory({ condenser: noOpCondenser(), codec });
    const { problem } = await history.fit([answer as never]);
    expect(problem?.message).toContain("has a part of the type 'tool_use', which langchainMessages() does not read");
  });

  it('reads an instance, its clone and its JSON form alike', () => {
    for (const message of richConversation()) {
      const pieces = codec.read(message).pieces;
      expect(codec.read(structuredClone(message)).pieces).toEqual(pieces);
      expect(codec.read(JSON.parse(JSON.stringify(message))).pieces).toEqual(pieces);
      expect(pieces.length).toBeGreaterThan(0);
    }
  });

  it('returns images and files where the model was sent them in a result, and else says what they are', () => {
    const file = { type: 'file', source_type: 'base64', data: 'JVBERg==', mime_type: 'application/pdf' };
    const recalled = {
      text: 'Here.',
      images: [{ type: 'image', url: 'data:image/png;base64,AA' } as const],
      files: [file],
    };
    expect(codec.result?.({ ...recalled, stoodInResult: false })).toBe('Here.');
    expect(codec.result?.({ ...recalled, stoodInResult: true })).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      file,
    ]);
  });

  it('makes copies of the same class, with the status, the artifact and the ids of a result', () => {
    const result = new ToolMessage({
      id: 'r',
      tool_call_id: 'c',
      name: 'n',
      content: 'x',
      status: 'error',
      artifact: 1,
    });
    const copy = codec.changed(result, { results: new Map([['c', { content: [{ type: 'text', text: 'y' }] }]]) });
    expect(ToolMessage.isInstance(copy)).toBe(true);
    expect(copy).toMatchObject({ id: 'r', tool_call_id: 'c', name: 'n', content: 'y', status: 'error', artifact: 1 });
    expect(JSON.parse(JSON.stringify(copy))).toMatchObject({ kwargs: { content: 'y', status: 'error' } });
    expect(result.content).toBe('x');
  });

  it('changes a call in each place from which a provider is sent it', () => {
    const answer = richConversation().find(({ id }) => id === 'msg_1') as AIMessage;
    const copy = codec.changed(answer, { calls: new Map([['call_r', { arguments: '{"masked":true}' }]]) }) as AIMessage;
    expect(JSON.stringify(copy)).not.toContain('r.ts');
    expect(copy.tool_calls?.[0]).toMatchObject({ id: 'call_r', args: { masked: true } });
    // By its id OpenAI would put the item that it has stored in the place of the copy.
    expect(JSON.stringify(copy)).not.toContain('fc_1');
    expect(codec.changed(answer, { words: [{ type: 'text', text: 'Other.' }] })?.id).toBeUndefined();
    const without = codec.changed(answer, { calls: new Map([['call_r', 'left-out']]) });
    expect(JSON.stringify(without)).not.toContain('call_r');
    expect(JSON.stringify(without)).toContain('rs_1');
  });

  it('changes what was streamed', () => {
    const chunk = new AIMessageChunk({
      content: [{ type: 'tool_use', id: 'c', name: 'read', input: '', index: 0 }],
      tool_call_chunks: [{ id: 'c', name: 'read', args: '{"path":"x.ts"}', index: 0, type: 'tool_call_chunk' }],
    });
    expect(codec.read(chunk).pieces).toMatchObject([{ type: 'call', id: 'c', arguments: '{"path":"x.ts"}' }]);
    const copy = codec.changed(chunk, { calls: new Map([['c', { arguments: '{"masked":true}' }]]) });
    expect(AIMessageChunk.isInstance(copy)).toBe(true);
    expect(JSON.stringify(copy)).not.toContain('x.ts');
    const inParts = richConversation().find((message) => JSON.stringify(message).includes('input_json_delta'));
    const whole = codec.changed(inParts as AIMessage, { calls: new Map([['list', { arguments: '{"masked":true}' }]]) });
    expect(JSON.stringify(whole)).not.toContain('input_json_delta');
  });

  it('drops an answer of which nothing would be left', () => {
    const thinking = new AIMessage({ content: [{ type: 'thinking', thinking: 't', signature: 's' }] });
    expect(codec.changed(thinking, { thinking: 'left-out' })).toBeUndefined();
    expect(codec.changed(new AIMessage('Words.'), { words: 'left-out' })).toBeUndefined();
    expect(codec.changed(new HumanMessage('Words.'), { words: [{ type: 'text', text: 'Other.' }] })?.content).toBe(
      'Other.',
    );
  });

  it('is not needed to read an instance: the reader of Chat Completions knows what is in all of them', () => {
    const chat = chatMessages();
    for (const message of [...plainConversation(), ...toolSteps(3, 4)]) {
      const { role, pieces } = codec.read(message);
      const read = chat.read(message);
      expect(read.role).toBe(role);
      expect(read.pieces.map(({ type }) => type)).toEqual(pieces.map(({ type }) => type));
      const failed = (all: typeof pieces) => all.some((piece) => piece.type === 'result' && piece.isError);
      expect(failed(read.pieces)).toBe(failed(pieces));
    }
    const parts = richConversation().find((message) => JSON.stringify(message).includes('input_json_delta'));
    expect(chat.read(parts as never).pieces.map(({ type }) => type)).toEqual([
      'reasoning-text',
      'content',
      'call',
      'call',
    ]);
  });
});

it.each<[Api, string]>([
  ['chat', 'gpt-4o'],
  ['responses', 'gpt-5'],
  ['anthropic', 'claude-haiku-4-5'],
])(
  '%s: the newest of two results of a call is sent, with a call of its own once the first was read',
  async (api, name) => {
    const server = await scriptedModel(api, { steps: 1 });
    onTestFinished(() => server.close());
    const result = (content: string) => new ToolMessage({ tool_call_id: 'job', content });
    const args = { path: 'job' };
    const content = [
      { type: 'text', text: 'I start it.' },
      ...(api === 'anthropic' ? [{ type: 'tool_use', id: 'job', name: 'read', input: args }] : []),
    ];
    const call = new AIMessage({ content, tool_calls: [{ id: 'job', name: 'read', args }] });
    const list = [
      new HumanMessage('Go.'),
      call,
      result('It runs.'),
      result('Half of it runs.'),
      new AIMessage('I wait.'),
    ];
    list.push(result('Nearly.'), result('It is done.'));
    const condenser = noOpCondenser();
    const { messages } = await condensedHistory({ condenser, codec }).fit(list);
    const tool = { name: 'read', description: 'Reads.', schema: { type: 'object' as const, properties: {} } };
    await chatModel(api, name, server).bindTools([tool]).invoke(messages);
    const sent = JSON.stringify(sentTo(server));
    for (const text of ['Half of it runs.', 'I wait.', 'It is done.']) expect(sent).toContain(text);
    for (const text of ['It runs.', 'Nearly.']) expect(sent).not.toContain(text);
    expect(sent.split('I start it.')).toHaveLength(2);
  },
);
