import type { AssistantMessage, Message } from '@palimpsest/events';
import type { CompletionRequest, JsonSchemaFormat } from '../../llm.js';
import { answers, ask, callOf, expectSame, expectThat, result, textOf, tools, user } from './rule.js';
import type { LLMRule } from './rule.js';

/** One pixel, in two formats. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const gif = 'R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=';

const responseFormat: JsonSchemaFormat = {
  name: 'colour',
  schema: {
    type: 'object',
    properties: { 'field-of-the-schema': { type: 'string' } },
    required: ['field-of-the-schema'],
    additionalProperties: false,
  },
};

const calls: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'words-of-the-model' }],
  toolCalls: [
    { id: 'call_a1', name: 'files.read', arguments: '{"path":"path-of-the-call"}' },
    { id: 'call_b2', name: 'files.read', arguments: '{"path":"arguments-that-break-o' },
  ],
};

const history: readonly Message[] = [
  { role: 'system', content: [{ type: 'text', text: 'words-of-the-instructions' }] },
  user('words-of-the-user'),
  calls,
  result('call_a1', 'words-of-the-result'),
  result('call_b2', 'words-of-the-error', { isError: true }),
  user('words-of-the-second-question'),
];

/** The rules about the parts of a request that must reach the provider. */
export const rulesOfRequests: readonly LLMRule[] = [
  {
    name: 'sends instructions, words, calls and results, those that are no JSON too',
    check: async (stage) => {
      const { llm, sent } = await stage(answers('Good.'));
      await llm.complete({ messages: history, tools });
      const wanted = [
        'words-of-the-instructions',
        'words-of-the-user',
        'words-of-the-model',
        'path-of-the-call',
        'arguments-that-break-o',
        'words-of-the-result',
        'words-of-the-error',
        'words-of-the-second-question',
        'Reads a file.',
      ];
      expectHolds(sent().at(-1), wanted);
    },
  },
  {
    name: 'sends images, of the user and of results',
    needs: 'images',
    check: async (stage) => {
      const { llm, sent } = await stage(answers('Red.'));
      const image = (format: string, data: string) =>
        ({ type: 'image', url: `data:image/${format};base64,${data}` }) as const;
      await llm.complete({
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'What colour?' }, image('png', png)] },
          { role: 'assistant', content: [], toolCalls: [{ id: 'call_a1', name: 'files.read', arguments: '{}' }] },
          { role: 'tool', toolCallId: 'call_a1', toolName: 'files.read', content: [image('gif', gif)] },
        ],
        tools,
      });
      expectHolds(sent().at(-1), [png, gif]);
    },
  },
  {
    name: 'sends its own calls back with their results',
    check: async (stage) => {
      const input = '{"path":"a.txt"}';
      const twoCalls = [callOf('call_a1', input), callOf('call_b2', input)];
      const { llm, sent } = await stage(answers('I look.', { toolCalls: twoCalls }), answers('Both say hello.'));
      const { message } = await llm.complete({ ...ask, tools });
      const results = (message.toolCalls ?? []).map(({ id }, index) => result(id, `result-number-${index}`));
      const last = await llm.complete({ messages: [...ask.messages, message, ...results], tools });
      expectSame(textOf(last), 'Both say hello.', 'the text of the next answer');
      expectHolds(sent().at(-1), ['I look.', 'result-number-0', 'result-number-1']);
    },
  },
  {
    name: 'sends the schema of an answer, and hands the answer out as its text',
    needs: 'schemas',
    check: async (stage) => {
      const answer = '{"field-of-the-schema":"red"}';
      const { llm, sent } = await stage(answers(answer));
      const completion = await llm.complete({ ...ask, responseFormat });
      expectHolds(sent().at(-1), ['field-of-the-schema']);
      expectSame(JSON.parse(textOf(completion)), JSON.parse(answer), 'the answer');
      expectSame(completion.finishReason, 'stop', 'the finish reason');
      expectSame(completion.message.toolCalls ?? [], [], 'the calls');
    },
  },
  {
    name: 'lets the request say whether tools are called',
    needs: 'tool-choice',
    check: async (stage) => {
      const calling = answers('I look.', { toolCalls: [callOf('call_a1', '{"path":"a.txt"}')] });
      const { llm, sent } = await stage(calling, calling, calling, answers('I do not look.'));
      const choices: readonly CompletionRequest[] = [
        { ...ask, tools },
        { ...ask, tools, toolChoice: 'required' },
        { ...ask, tools, toolChoice: { tool: 'files.read' } },
        { ...ask, tools, toolChoice: 'none' },
      ];
      for (const request of choices) await llm.complete(request);
      const bodies = new Set(sent().map((body) => JSON.stringify(body)));
      expectSame(bodies.size, choices.length, 'the number of different requests that four tool choices made');
    },
  },
  {
    name: 'sends thinking back as it came',
    needs: 'thinking',
    check: async (stage) => {
      const { llm, sent } = await stage(
        answers('I look.', { thinking: 'A small file.', toolCalls: [callOf('call_a1', '{"path":"a.txt"}')] }),
        answers('Hello.'),
      );
      const { message } = await llm.complete({ ...ask, tools });
      const opaque = opaqueThinkingOf(message);
      expectThat(opaque.length > 0, 'the message has no thinking');
      const results = (message.toolCalls ?? []).map(({ id }) => result(id, 'hello'));
      await llm.complete({ messages: [...ask.messages, message, ...results], tools });
      expectHolds(sent().at(-1), opaque);
    },
  },
  {
    name: 'counts, where it counts, whole tokens and more for more',
    check: async (stage) => {
      const { llm } = await stage(answers('Good.'));
      if (llm.countTokens === undefined) return;
      const few = await llm.countTokens(ask);
      const many = await llm.countTokens({ messages: history, tools });
      expectThat(Number.isInteger(few) && Number.isInteger(many), `it counted ${few} and ${many} tokens`);
      expectThat(few > 0 && many > few, `it counted ${few} tokens, and ${many} for much more`);
    },
  },
  {
    name: 'takes a frozen request and leaves it as it is',
    check: async (stage) => {
      const { llm } = await stage(answers('Good.'));
      const request: CompletionRequest = { messages: history, tools, cache: { key: 'one', stableMessages: 2 } };
      const before = JSON.stringify(request);
      await llm.complete(frozen(structuredClone(request)));
      const thawed = structuredClone(request);
      await llm.complete(thawed);
      expectSame(JSON.stringify(thawed), before, 'the request after the call');
    },
  },
];

function expectHolds(body: unknown, wanted: readonly string[]): void {
  const text = JSON.stringify(body) ?? '';
  for (const words of wanted) {
    // Text inside arguments is quoted twice, and so are quotation marks in it.
    const quoted = JSON.stringify(words).slice(1, -1);
    expectThat(text.includes(words) || text.includes(quoted), `'${words}' did not reach the provider`);
  }
}

/** Returns the parts of a message's thinking that must be sent back unchanged. */
function opaqueThinkingOf({ thinkingBlocks = [], reasoningItems = [], reasoningContent }: AssistantMessage): string[] {
  const blocks = thinkingBlocks.map((block) => (block.type === 'thinking' ? block.signature : block.data));
  const items = reasoningItems.map(({ encryptedContent }) => encryptedContent);
  return [...blocks, ...items, reasoningContent].filter((text) => text !== undefined && text !== '') as string[];
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
