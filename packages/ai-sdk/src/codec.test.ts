import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { condensedHistory } from '@palimpsest/messages';
import { codecContract } from '@palimpsest/messages/testing';
import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { plainConversation, richConversation, toolSteps } from '../test-support/conversations.js';
import { condensing, condensingMiddleware, modelMessages } from './index.js';

describe('the codec of ModelMessages', () => {
  codecContract({
    test,
    create: () => modelMessages(),
    conversations: () => [plainConversation(), richConversation()],
  });
});

test('an option that does not exist is refused at once, and the options of this package are known', () => {
  const condenser = amortizedForgettingCondenser();
  const own = { conversationId: 'one', onFit: () => undefined };
  for (const make of [condensing, condensingMiddleware]) {
    expect(() => make({ condenser, condenserTimeout: 1_000 } as never)).toThrow("Did you mean 'condenserTimeoutMs'?");
    expect(() => make({ condenser, ...own })).not.toThrow();
  }
  expect(() => condensing({ condenser, ...own, system: 'Be brief.', tools: [] })).not.toThrow();
});

test('a message in the form of another API is reported', async () => {
  const history = condensedHistory({ condenser: amortizedForgettingCondenser(), codec: modelMessages() });
  const problemWith = async (message: { role: string; content: unknown; tool_calls?: unknown }) =>
    (await history.fit([{ role: 'user', content: 'Read a.ts.' }, message])).problem?.message;

  const calls = [{ id: 'call_1', function: { name: 'read', arguments: '{}' } }];
  const ofChat = await problemWith({ role: 'assistant', content: '', tool_calls: calls });
  expect(ofChat).toContain("messages[1] has 'tool_calls', which modelMessages() does not read");
  expect(ofChat).toContain('Use chatMessages().');
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'ok' };
  expect(await problemWith({ role: 'user', content: [result] })).toContain('Use anthropicMessages().');
});

test('a request for approval is kept until it is answered', async () => {
  const call = {
    type: 'tool-call',
    toolCallId: 'mcp_1',
    toolName: 'deploy',
    input: {},
    providerExecuted: true,
  } as const;
  const request = { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'mcp_1' } as const;
  const response = { type: 'tool-approval-response', approvalId: 'mcpr_1', approved: true } as const;
  const asked: ModelMessage = { role: 'assistant', content: [call, request] };
  const answer: ModelMessage = { role: 'tool', content: [response] };
  const condenser = amortizedForgettingCondenser({ maxSize: 10, keepFirst: 1 });
  const history = condensedHistory({ condenser, codec: modelMessages() });
  const list = [...plainConversation(4), asked, ...toolSteps(4, 30)];
  expect((await history.fit(list)).messages).toContain(asked);
  list.push(answer);
  expect((await history.fit(list)).messages).toEqual(expect.arrayContaining([asked, answer]));
});
