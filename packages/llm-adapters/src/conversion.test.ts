import fc from 'fast-check';
import type { AssistantMessage, ContentPart, Message, ToolDefinition, ToolMessage } from '@palimpsest/events';
import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers/rules';
import { describe, expect, it, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { anyCharacter } from '../test-support/any-character.js';
import { toMessagesRequest } from './anthropic/request.js';
import { toResponsesRequest } from './openai/responses/request.js';
import { serverProfile } from './openai/server-profile.js';
import { toChatCompletionsRequest } from './openai/chat/request.js';
import { pleaseGoOn, startOfConversation } from './wire/sendable-message.js';

// Any list that a view can render, and dirt that one never does: ids used again by a later answer, names and ids that no
// provider takes, blank text, arguments that do not parse, images that cannot be sent, no user at all, kinds of another version,
// halves of surrogate pairs in every text.

/** Stands in what this version does not know. */
const neverSent = 'never sent to anybody';
const words = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('', ' ', '\n\t', 'Go on.', 'a \ud83d', '\ude00\ud83d'),
);
const image = fc.constantFrom(
  'https://example.org/\ud83d.png',
  'data:image/png;base64,iVBO\ude00Rw0=',
  'https://example.org/a.png',
  'http://example.org/a.png',
  'data:image/png;base64,iVBORw0=',
  'data:image/svg+xml,<svg/>',
  'a.png',
);
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  { weight: 4, arbitrary: words.map((text) => ({ type: 'text' as const, text })) },
  image.map((url) => ({ type: 'image' as const, url })),
  fc.constant({ type: 'acme/sketch' as const, data: neverSent }),
);
const content = fc.array(part, { maxLength: 3 });
const name = fc.oneof(
  fc.constantFrom('run', 'read_file', 'files.read', 'files/read', 'x'.repeat(70), 'run\ud83d', 'run\ufffd'),
  fc.string({ minLength: 1, maxLength: 80, unit: anyCharacter }),
);
const id = fc.oneof(
  fc.constantFrom('0', '1', 'call_0', 'functions.run:0', 'x'.repeat(41), 'x'.repeat(65), '\ud83d', '\ufffd'),
  fc.string({ minLength: 1, maxLength: 50, unit: anyCharacter }),
);
const callArguments = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{"a":"\\ud83d"}',
    '{"\\ude00":{"b":["\ud83d"]}}',
    '{"a":"\\ud83d\\ude00\\\\ud83d"}',
    '"\\ud83d"',
    '{"\\ud83d',
  ),
  fc.constantFrom('{}', '{"path":"a"}', '', ' ', '{"path":', 'null', 'Response redacted: old'),
);
const thinking = fc.record(
  {
    thinkingBlocks: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: fc.string({ minLength: 1 }) }),
        fc.record({ type: fc.constant('thinking' as const), thinking: words }),
        fc.record({ type: fc.constant('redacted-thinking' as const), data: fc.oneof(fc.string(), words) }),
        fc.constant({ type: 'acme/sealed' as const, data: neverSent }),
      ),
      { maxLength: 2 },
    ),
    reasoningItems: fc.array(
      fc.record(
        { id: fc.constantFrom('rs_1', 'rs_2', 'rs_\ud83d'), summary: fc.array(words), encryptedContent: words },
        { requiredKeys: ['summary'] },
      ),
      { maxLength: 2 },
    ),
    reasoningContent: words,
  },
  { requiredKeys: [] },
);

const batch: fc.Arbitrary<readonly Message[]> = fc
  .record({
    content,
    thinking,
    // One id for two calls too: the first result is that of the first.
    calls: fc.array(fc.record({ id, name, arguments: callArguments }), { minLength: 1, maxLength: 4 }),
  })
  .chain(({ calls, thinking: thoughts, content: before }) =>
    fc
      .tuple(
        fc.shuffledSubarray(calls, { minLength: calls.length, maxLength: calls.length }),
        fc.array(fc.record({ content, isError: fc.boolean() }), { minLength: calls.length, maxLength: calls.length }),
      )
      .map(([order, results]): readonly Message[] => {
        const message: AssistantMessage = { role: 'assistant', content: before, toolCalls: calls, ...thoughts };
        return [
          message,
          ...order.map((call, index): ToolMessage => {
            const { content: answer = [], isError = false } = results[index] ?? {};
            return {
              role: 'tool',
              toolCallId: call.id,
              toolName: call.name,
              content: answer,
              ...(isError ? { isError } : {}),
            };
          }),
        ];
      }),
  );
const turn: fc.Arbitrary<readonly Message[]> = fc.oneof(
  content.map((said) => [{ role: 'user' as const, content: said }]),
  fc.tuple(content, thinking).map(([said, thoughts]) => [{ role: 'assistant' as const, content: said, ...thoughts }]),
  { weight: 2, arbitrary: batch },
);
const system: fc.Arbitrary<readonly Message[]> = fc
  .option(content, { nil: undefined })
  .map((said) => (said === undefined ? [] : [{ role: 'system', content: said }]));
/** The instructions, then turns: each a place where the list may end. */
const history = fc.tuple(system, fc.array(turn, { maxLength: 8 })).map(([first, turns]) => [first, ...turns]);
const tools: fc.Arbitrary<readonly ToolDefinition[] | undefined> = fc.option(
  fc.uniqueArray(name, { maxLength: 5 }).map((names) =>
    names.map((tool) => ({
      name: tool,
      description: tool,
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'object', description: '\ud83d', properties: { ['\ude00']: { enum: ['a\ud83d'] } } } },
      },
    })),
  ),
  { nil: undefined },
);
const model = fc.constantFrom('claude-opus-5-5', 'claude-opus-4-8', 'claude-haiku-4-5', 'claude-next');

const requestOf = (turns: readonly (readonly Message[])[], defined: readonly ToolDefinition[] | undefined) => ({
  messages: turns.flat(),
  tools: defined,
});

/** Returns a body as it goes over the wire. */
const wire = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

describe('conversion of any valid list', () => {
  test('gives what Anthropic takes', () => {
    fc.assert(
      fc.property(history, tools, model, (turns, defined, name_) => {
        const body = toMessagesRequest(requestOf(turns, defined), { model: name_ });
        // Thinking that is signed is never altered.
        const thoughts = turns
          .flat()
          .flatMap((message) => (message.role === 'assistant' ? (message.thinkingBlocks ?? []) : []));
        const known = new Set(thoughts.map((block) => (block.type === 'thinking' ? block.thinking : block.data)));
        for (const block of body.messages.flatMap((message) =>
          typeof message.content === 'string' ? [] : message.content,
        )) {
          if (block.type === 'thinking') expect(known).toContain(block.thinking);
          if (block.type === 'redacted_thinking') expect(known).toContain(block.data);
        }
        expect(checkAnthropicRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
        expect(JSON.stringify(body)).not.toContain(neverSent);
      }),
      { seed: 20_261_123, numRuns: fewer(200) },
    );
  });

  test('gives what OpenAI takes', () => {
    fc.assert(
      fc.property(history, tools, (turns, defined) => {
        const body = toChatCompletionsRequest(requestOf(turns, defined), { model: 'gpt-4o' });
        expect(checkChatCompletionsRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
        expect(JSON.stringify(body)).not.toContain(neverSent);
      }),
      { seed: 20_261_123, numRuns: fewer(200) },
    );
  });

  test('gives what the Responses API takes', () => {
    fc.assert(
      fc.property(history, tools, (turns, defined) => {
        const body = toResponsesRequest(requestOf(turns, defined), { model: 'gpt-6-sol' });
        const found = checkResponsesRequest(wire(body));
        expect(found).toEqual([]);
      }),
      { seed: 20_261_123, numRuns: fewer(200) },
    );
  });

  test('keeps halves out of everything else that a request says', () => {
    fc.assert(
      fc.property(history, (turns) => {
        const half = 'a \ud83d';
        const request = {
          ...requestOf(turns, undefined),
          responseFormat: {
            name: half,
            schema: { type: 'object', description: half, properties: { b: { const: half } } },
          },
          cache: { key: half, stableMessages: 2 },
        };
        const bodies: unknown[] = [
          toMessagesRequest(request, { model: 'claude-opus-5-5' }),
          toMessagesRequest(request, { model: 'claude-opus-5-5', structuredOutput: 'tool' }),
          toChatCompletionsRequest(request, { model: 'gpt-4o' }),
          toChatCompletionsRequest(request, { model: 'deepseek-chat', server: serverProfile('deepseek') }),
          toResponsesRequest(request, { model: 'gpt-6-sol' }),
        ];
        const halves: unknown[] = [];
        JSON.stringify(wire(bodies), (key, value: unknown) => {
          if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) halves.push({ key, value });
          return value;
        });
        expect(halves).toEqual([]);
      }),
      { seed: 20_261_123, numRuns: fewer(100) },
    );
  });

  test('extends the body of a shorter list: Anthropic', () => {
    fc.assert(
      fc.property(history, tools, (turns, defined = []) => {
        // With tools: stand-ins for calls that no request declares come with the first call, and thinking would be bound to them.
        const declared = defined.length === 0 ? [{ name: 'run', description: '', inputSchema: {} }] : defined;
        // The sequence of (role, block), since neighbours merge; less what only asks the model to go on.
        const sent = (some: typeof turns) => {
          const { messages } = toMessagesRequest(requestOf(some, declared), { model: 'claude-opus-5-5' });
          const blocks = messages.flatMap(({ role, content: all }) =>
            typeof all === 'string' ? [] : all.map((block) => JSON.stringify([role, block])),
          );
          return blocks.at(-1) === JSON.stringify(['user', { type: 'text', text: pleaseGoOn }])
            ? blocks.slice(0, -1)
            : blocks;
        };
        const nothing = [JSON.stringify(['user', { type: 'text', text: startOfConversation }])];
        const whole = sent(turns);
        for (let length = 0; length < turns.length; length++) {
          const shorter = sent(turns.slice(0, length));
          if (shorter.length === 1 && shorter[0] === nothing[0]) continue;
          expect(whole.slice(0, shorter.length)).toEqual(shorter);
        }
      }),
      { seed: 20_261_123, numRuns: fewer(300) },
    );
  });

  test('extends the body of a shorter list: OpenAI', () => {
    fc.assert(
      fc.property(history, tools, (turns, defined) => {
        const sent = (some: typeof turns) =>
          toChatCompletionsRequest(requestOf(some, defined), { model: 'gpt-4o' }).messages;
        const whole = sent(turns);
        for (let length = 0; length < turns.length; length++) {
          const shorter = sent(turns.slice(0, length));
          if (shorter.length === 1 && shorter[0]?.content === startOfConversation) continue;
          expect(whole.slice(0, shorter.length)).toEqual(shorter);
        }
      }),
      { seed: 20_261_123, numRuns: fewer(300) },
    );
  });

  it('is tried on lists that a converter without care gets wrong, in every way that it can', () => {
    const anthropic = new Set<string>();
    const openai = new Set<string>();
    for (const turns of fc.sample(history, { numRuns: 500, seed: 1 })) {
      const careless = carelessBodies(turns.flat());
      for (const { rule } of checkAnthropicRequest(careless.anthropic)) anthropic.add(rule);
      for (const { rule } of checkChatCompletionsRequest(careless.openai)) openai.add(rule);
    }
    // What remains are fields and roles, which nobody gets wrong, and pairing, which the lists have right.
    for (const rule of [
      'A2',
      'A7',
      'A9',
      'A10',
      'A11',
      'A13',
      'A14',
      'A26',
      'A-error-content',
      'A-final-thinking',
      'A-text',
    ]) {
      expect(anthropic, rule).toContain(rule);
    }
    for (const rule of ['B3', 'B4', 'B5', 'B-text', 'B-tools']) expect(openai, rule).toContain(rule);
  });
});

/** Converts messages by no more than giving every field its wire name. */
function carelessBodies(messages: readonly Message[]): { readonly anthropic: unknown; readonly openai: unknown } {
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  return {
    anthropic: {
      model: 'claude-opus-5-5',
      max_tokens: 1,
      messages: messages.flatMap((message): readonly unknown[] => {
        switch (message.role) {
          case 'system':
            return [];
          case 'tool': {
            const { toolCallId, content: said, isError } = message;
            return [
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: toolCallId, content: said, is_error: isError }],
              },
            ];
          }
          case 'user':
            return [message];
          case 'assistant': {
            const calls = (message.toolCalls ?? []).map((call) => ({
              type: 'tool_use',
              id: call.id,
              name: call.name,
              input: parse(call.arguments),
            }));
            return [{ role: 'assistant', content: [...(message.thinkingBlocks ?? []), ...message.content, ...calls] }];
          }
        }
      }),
    },
    openai: {
      model: 'gpt-4o',
      messages: messages.map((message) => {
        if (message.role === 'tool')
          return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
        if (message.role !== 'assistant') return message;
        const tool_calls = (message.toolCalls ?? []).map((call) => ({ id: call.id, type: 'function', function: call }));
        return { role: 'assistant', content: message.content, ...(tool_calls.length === 0 ? {} : { tool_calls }) };
      }),
    },
  };
}
