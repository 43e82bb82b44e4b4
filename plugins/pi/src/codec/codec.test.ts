import { condensedHistory } from '@palimpsest/messages';
import { pricedCondenser } from '@palimpsest/condensers';
import { codecContract } from '@palimpsest/messages/testing';
import { describe, expect, test } from 'vitest';
import {
  answer,
  piMessage,
  plainConversation,
  result,
  richConversation,
  text,
  toolSteps,
  user,
} from '../../test-support/conversations.js';
import { piMessages } from './codec.js';

const codec = piMessages();

describe("the codec of pi's messages", () => {
  codecContract({ test, create: piMessages, conversations: () => [plainConversation(), richConversation()] });
});

test('what pi keeps and does not send weighs nothing', () => {
  for (const stopReason of ['error', 'aborted']) {
    expect(codec.read(answer([text('Half')], { stopReason })).pieces).toEqual([]);
  }
  const hidden = { role: 'bashExecution', command: 'env', output: 'SECRET=1', exitCode: 0, excludeFromContext: true };
  expect(codec.read(hidden).pieces).toEqual([]);
});

test('what the user ran, and what extensions and pi say in their place, is not their words', () => {
  for (const message of richConversation()) {
    const isUsers = ['user', 'toolResult', 'assistant'].includes(message.role);
    expect([message.role, codec.read(message).source]).toEqual([message.role, isUsers ? undefined : 'environment']);
  }
});

test('an unknown role and an unknown part are left alone', async () => {
  const unknown = piMessage({ role: 'hologram', content: 'Help me.', timestamp: 1 });
  const part = { type: 'audio', data: 'AAAA' };
  const list = [user([text('Listen.'), part]), unknown, ...toolSteps(0, 9)];
  const history = condensedHistory({ condenser: pricedCondenser(), codec });
  const { messages } = await history.fit(list, { condense: 'now' });
  expect(messages).toContain(unknown);
  expect(messages).toContain(list[0]);
});

test('a masked result keeps its image, and an image that is recalled is one of pi', () => {
  const shot = result('call_1', 'read', [
    text('Read image file'),
    { type: 'image', data: 'AAAA', mimeType: 'image/jpeg' },
  ]);
  const url = 'data:image/jpeg;base64,AAAA';
  const content = [{ type: 'text', text: 'Masked.' } as const, { type: 'image', url } as const];
  const changed = codec.changed(shot, { results: new Map([['call_1', { content }]]) });
  expect(changed).toMatchObject({
    content: [{ text: 'Masked.' }, { type: 'image', data: 'AAAA', mimeType: 'image/jpeg' }],
  });
  expect(codec.result?.({ text: 'Here.', images: [{ type: 'image', url }], files: [], stoodInResult: true })).toEqual([
    { type: 'text', text: 'Here.' },
    { type: 'image', data: 'AAAA', mimeType: 'image/jpeg' },
  ]);
});

test('a list of deep copies is the same list', async () => {
  const history = condensedHistory({ condenser: pricedCondenser(), codec });
  const list = plainConversation(40);
  const first = await history.fit(structuredClone(list), { condense: 'now' });
  const again = await history.fit(structuredClone(list), { condense: false });
  expect(first.state).toBe('condensed');
  expect(again.messages).toEqual(first.messages);
});
