import { observationMaskingCondenser } from '@palimpsest/condensers';
import { codecContract } from '@palimpsest/messages/testing';
import { describe, expect, it, test } from 'vitest';
import { plainConversation, promptOf, richConversation } from '../test-support/conversations.js';
import { condensing, modelMessages, promptMessages } from './index.js';
import { messagesOfStep } from './step-messages.js';

const codec = modelMessages();
const answer = (...content: readonly object[]) => ({ role: 'assistant', content });

describe('the codec of prompts', () => {
  codecContract({
    test,
    create: () => promptMessages(),
    conversations: () => [promptOf(plainConversation()), promptOf(richConversation())],
  });
});

describe('reading', () => {
  it('takes an image for the same in whatever form it comes', () => {
    const bytes = Uint8Array.from(atob('iVBORw=='), (letter) => letter.charCodeAt(0));
    const forms = [
      { type: 'image', image: 'iVBORw==', mediaType: 'image/png' },
      { type: 'image', image: bytes, mediaType: 'image/png' },
      { type: 'image', image: bytes.buffer, mediaType: 'image/png' },
      { type: 'file', data: 'data:image/png;base64,iVBORw==', mediaType: 'image/*' },
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png' },
      { type: 'file', data: { type: 'url', url: new URL('data:image/png;base64,iVBORw==') }, mediaType: 'image' },
    ];
    for (const part of forms) {
      expect(codec.read({ role: 'user', content: [part] }).pieces).toEqual([
        { type: 'content', part: { type: 'image', url: 'data:image/png;base64,iVBORw==' } },
      ]);
    }
  });

  it('shows of a file, and of what the provider runs itself, a text that says what it is', () => {
    const texts = (message: object) =>
      codec
        .read(message)
        .pieces.flatMap((piece) => (piece.type === 'content' && 'text' in piece.part ? [piece.part.text] : []));
    expect(
      texts({
        role: 'user',
        content: [{ type: 'file', data: 'JVBERg==', mediaType: 'application/pdf', filename: 'a.pdf' }],
      }),
    ).toEqual(['(A file: a.pdf.)']);
    const call = {
      type: 'tool-call',
      toolCallId: 'w',
      toolName: 'web_search',
      input: { query: 'x' },
      providerExecuted: true,
    };
    const result = {
      type: 'tool-result',
      toolCallId: 'w',
      toolName: 'web_search',
      output: { type: 'json', value: ['found'] },
    };
    expect(texts(answer(call, result))).toEqual(['(web_search: {"query":"x"})', '(web_search: ["found"])']);
  });

  it('pairs what a provider refuses to see alone', () => {
    const call = { type: 'tool-call', toolCallId: 'w', toolName: 'run', input: {}, providerExecuted: true };
    const result = { type: 'tool-result', toolCallId: 'w', toolName: 'run', output: { type: 'text', value: 'done' } };
    expect(codec.read(answer(call))).toMatchObject({ pair: ['call w'], isOpen: true });
    expect(codec.read(answer(result))).toMatchObject({ pair: ['call w'] });
    expect(codec.read(answer(result)).isOpen).toBeUndefined();
    expect(codec.read(answer(call, result)).pair).toBeUndefined();
    const asked = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' };
    const other = { ...asked, approvalId: 'b' };
    const answered = { type: 'tool-approval-response', approvalId: 'a', approved: true };
    const own = { ...call, providerExecuted: false };
    expect(codec.read(answer(own, asked, other))).toMatchObject({ pair: ['approval a', 'approval b'], isOpen: true });
    expect(codec.read({ role: 'tool', content: [answered] })).toMatchObject({ pair: ['approval a'] });
  });

  it('never forgets a compaction of the provider', () => {
    const options = { anthropic: { type: 'compaction' } };
    expect(codec.read(answer({ type: 'text', text: 'Summary.', providerOptions: options })).isBarrier).toBe(true);
    expect(codec.read(answer({ type: 'custom', kind: 'openai.compaction' })).isBarrier).toBe(true);
    expect(codec.read(answer({ type: 'text', text: 'Words.' })).isBarrier).toBeUndefined();
  });
});

describe('a copy', () => {
  it('keeps what stands beside its change', () => {
    const image = {
      type: 'image-data',
      data: 'iVBORw==',
      mediaType: 'image/png',
      providerOptions: { openai: { imageDetail: 'low' } },
    };
    const output = { type: 'content', value: [{ type: 'text', text: 'The screen.' }, image] };
    const part = { type: 'tool-result', toolCallId: 'c', toolName: 'shot', output, providerOptions: { a: { b: 1 } } };
    const message = { role: 'tool', content: [part], providerOptions: { c: { d: 2 } } };
    const content = [
      { type: 'text', text: 'Masked.' },
      { type: 'image', url: 'data:image/png;base64,iVBORw==' },
    ] as const;
    const copy = codec.changed(message, { results: new Map([['c', { content, line: '[line]' }]]) });
    expect(copy).toEqual({
      ...message,
      content: [{ ...part, output: { type: 'content', value: [content[0], image, { type: 'text', text: '[line]' }] } }],
    });
  });

  it('of a call is sent as it is, not as the provider has stored it', () => {
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: { path: 'a' } };
    const message = answer({ ...part, providerOptions: { openai: { itemId: 'fc_1', other: 1 } } });
    const copy = codec.changed(message, { calls: new Map([['c', { arguments: '{"path":"…"}' }]]) });
    expect(copy).toEqual(answer({ ...part, input: { path: '…' }, providerOptions: { openai: { other: 1 } } }));
  });

  it('is none of an answer of which thinking alone would be left', () => {
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: {} };
    const message = answer({ type: 'reasoning', text: 'Read it.' }, part);
    expect(codec.changed(message, { calls: new Map([['c', 'left-out']]) })).toBeUndefined();
  });

  it('of a failed result has failed too', () => {
    const results = new Map([['c', { content: [{ type: 'text' as const, text: 'Masked.' }] }]]);
    for (const type of ['error-text', 'error-json']) {
      const part = { type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type, value: 'Long.' } };
      const message = { role: 'tool', content: [part] };
      expect(codec.changed(message, { results })).toMatchObject({
        content: [{ output: { type: 'error-text', value: 'Masked.' } }],
      });
    }
  });
});

describe('what was recalled', () => {
  const image = { type: 'image', url: 'data:image/png;base64,iVBORw==' } as const;
  const bytes = Uint8Array.from(atob('JVBERg=='), (letter) => letter.charCodeAt(0));

  it('is a result with the images and the files that were sent', () => {
    const held = { type: 'file-data', data: 'JVBERg==', mediaType: 'application/pdf', filename: 'a.pdf' };
    const files = [
      held,
      { type: 'file', data: 'JVBERg==', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: bytes, mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: new URL('https://example.com/a.pdf'), mediaType: 'application/pdf' },
    ];
    const images = [image, { type: 'image', url: 'https://example.com/a.png' } as const];
    expect(codec.result?.({ text: 'Here.', images, files, stoodInResult: false })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'Here.' },
        { type: 'image-data', data: 'iVBORw==', mediaType: 'image/png' },
        { type: 'image-url', url: 'https://example.com/a.png' },
        held,
        held,
        held,
        held,
        { type: 'file-url', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
      ],
    });
  });

  it('is what the tool of a loop tells its model', async () => {
    const prepareStep = condensing({ condenser: observationMaskingCondenser({ attentionWindow: 2 }) });
    const shot = { type: 'tool-call', toolCallId: 's', toolName: 'shot', input: {} };
    const output = {
      type: 'content',
      value: [
        { type: 'text', text: 'word '.repeat(12_000) },
        { type: 'image-data', data: 'iVBORw==', mediaType: 'image/png' },
      ],
    };
    const messages = [
      { role: 'user', content: 'Look.' },
      answer(shot),
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 's', toolName: 'shot', output }] },
      answer({ type: 'text', text: 'Seen.' }),
      { role: 'user', content: 'Again.' },
      answer({ type: 'text', text: 'What?' }),
      { role: 'user', content: 'The screen.' },
    ];
    const sent = await prepareStep({ model: 'm', messages });
    const [, address] = /\(address (\w+)\)/.exec(JSON.stringify(sent.messages)) ?? [];
    const tool = prepareStep.tools['recall'];
    const recalled = await tool?.execute({ address }, { toolCallId: 'r', messages: sent.messages });
    expect(tool?.toModelOutput({ output: recalled })).toEqual({
      type: 'content',
      value: [{ type: 'text', text: expect.stringContaining('1 image') }, output.value[1]],
    });
    expect(tool?.toModelOutput({ output: 'Words.' })).toEqual({ type: 'text', value: 'Words.' });
  });
});

describe('messagesOfStep', () => {
  const said = (content: string) => ({ role: 'user', content });
  const first = said('first');
  const approved = said('approved');
  const one = said('one');
  const other = said('other');

  it('is the list of the step in `ai` 6', () => {
    const messages = [first, one];
    expect(messagesOfStep({ model: 'm', messages, steps: [{ response: { messages: [one] } }] })).toBe(messages);
  });

  it('puts what was said at its place in `ai` 7, whatever earlier steps have returned', () => {
    const step = {
      model: 'm',
      messages: [said('a summary')],
      initialMessages: [first],
      responseMessages: [approved, one, other],
      steps: [
        { response: { messages: [one] } },
        { response: { messages: [other] }, experimental_steeringMessages: [said('steered')] },
      ],
      experimental_steeringMessages: [said('newest')],
    };
    expect(messagesOfStep(step)).toEqual([first, approved, one, said('steered'), other, said('newest')]);
  });
});
