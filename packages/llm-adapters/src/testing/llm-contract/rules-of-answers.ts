import type { Completion, CompletionRequest } from '../../llm.js';
import { answers, ask, callOf, expectSame, expectThat, result, textOf, tools, user } from './rule.js';
import type { LLMRule } from './rule.js';

const withTools: CompletionRequest = { ...ask, tools };
const twoCalls = [
  callOf('call_a1', '{"path":"a.txt"}'),
  callOf('call_b2', '{"path":"ü/\\"b\\".txt","deep":[1,{"x":null}]}'),
];

/** The rules about a complete answer. */
export const rulesOfAnswers: readonly LLMRule[] = [
  {
    name: 'answers with the text, why it ended and the model',
    check: async (stage) => {
      const { llm } = await stage(answers('It says "hello" – ünïcode 🙂.'));
      const completion = await llm.complete(ask);
      expectSame(textOf(completion), 'It says "hello" – ünïcode 🙂.', 'the text');
      expectSame(completion.finishReason, 'stop', 'the finish reason');
      expectSame(completion.message.role, 'assistant', 'the role');
      expectSame(completion.message.toolCalls ?? [], [], 'the calls');
      const { providerResponseId: id } = completion;
      expectThat(
        id === undefined || (typeof id === 'string' && id !== ''),
        'the id of the response is empty or no text',
      );
      expectThat(completion.model !== '' && llm.model !== '', 'the model has no name');
    },
  },
  {
    name: 'is plain data that survives JSON',
    check: async (stage) => {
      const { llm } = await stage(answers('Here.', { toolCalls: twoCalls }));
      expectSame(foreignIn(await llm.complete(withTools), 'completion'), [], 'what JSON would lose');
    },
  },
  {
    name: 'hands out tool calls with ids, names and arguments, in order',
    check: async (stage) => {
      const { llm } = await stage(answers('I look.', { toolCalls: twoCalls }));
      const { message, finishReason } = await llm.complete(withTools);
      const calls = message.toolCalls ?? [];
      expectSame(finishReason, 'tool-calls', 'the finish reason');
      expectSame(
        calls.map(({ name }) => name),
        twoCalls.map(({ name }) => name),
        'the names, as the caller declared them',
      );
      expectSame(
        calls.map((call) => JSON.parse(call.arguments) as unknown),
        twoCalls.map((call) => JSON.parse(call.arguments) as unknown),
        'the arguments',
      );
      expectThat(new Set(calls.map(({ id }) => id)).size === 2, 'the ids of the calls are not two');
    },
  },
  {
    name: 'hands out arguments that are no JSON as they are',
    needs: 'broken-arguments',
    check: async (stage) => {
      const { llm } = await stage(answers('', { toolCalls: [callOf('call_a1', '{"path": "a.t')] }));
      const { message } = await llm.complete(withTools);
      expectSame(message.toolCalls?.[0]?.arguments, '{"path": "a.t', 'the arguments');
    },
  },
  {
    name: 'gives a call without a name a name that it can send back',
    needs: 'nameless-calls',
    check: async (stage) => {
      const nameless = answers('', { toolCalls: [{ ...callOf('call_a1', '{}'), name: '' }] });
      const { llm } = await stage(nameless, answers('I see.'));
      const { message } = await llm.complete(withTools);
      const [call] = message.toolCalls ?? [];
      expectThat(call !== undefined, 'the call is not there');
      expectThat((call.name ?? '').trim() !== '', 'the call has no name');
      const answered = result(call.id, 'The call names no tool.', { isError: true });
      await llm.complete({ messages: [...ask.messages, message, answered], tools });
    },
  },
  {
    name: 'gives an empty answer as an empty message',
    check: async (stage) => {
      const { llm } = await stage(answers(''));
      const { message, finishReason } = await llm.complete(ask);
      expectSame([message.content, message.toolCalls ?? []], [[], []], 'the content and the calls');
      expectSame(finishReason, 'stop', 'the finish reason');
    },
  },
  {
    name: 'says that an answer was cut off at the limit',
    check: async (stage) => {
      const { llm } = await stage(answers('It sa', { finishReason: 'length' }));
      const completion = await llm.complete(ask);
      expectSame([textOf(completion), completion.finishReason], ['It sa', 'length'], 'the text and the finish reason');
    },
  },
  {
    name: 'counts in whole tokens that are never negative',
    check: async (stage) => {
      const { llm } = await stage(answers('Here.', { toolCalls: twoCalls }));
      expectCounts(await llm.complete(withTools));
    },
  },
  {
    name: 'says that usage is an estimate, and gives no cost, where the provider counts nothing',
    needs: 'unreported-usage',
    check: async (stage) => {
      const { llm } = await stage(answers('Here.', { reportsUsage: false }));
      const completion = await llm.complete(ask);
      expectCounts(completion);
      expectSame(completion.usageIsEstimated, true, 'usageIsEstimated');
      expectThat(completion.costUsd === undefined, 'an estimate has a cost');
    },
  },
  {
    name: 'keeps calls at the same time apart',
    check: async (stage) => {
      const texts = ['The first answer.', 'Another, longer answer.', 'A third.'];
      const { llm } = await stage(...texts.map((text) => answers(text)));
      const found = await Promise.all(
        texts.map(async (_text, index) => {
          let heard = '';
          const completion = await llm.complete({
            messages: [user(`Question ${index}`)],
            onDelta: (delta) => (heard += delta.type === 'text' ? delta.text : ''),
          });
          expectSame(heard, textOf(completion), 'the deltas of one of three calls');
          return textOf(completion);
        }),
      );
      expectSame([...found].sort(), [...texts].sort(), 'the answers of three calls');
    },
  },
];

/** Returns the path at which a value holds data that JSON loses or changes. Undefined fields are allowed. */
function foreignIn(value: unknown, path: string): readonly string[] {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => foreignIn(item, `${path}.${index}`));
  const isPlain = typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
  if (!isPlain) return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : foreignIn(inner, `${path}.${key}`),
  );
}

function expectCounts({ usage, costUsd }: Completion): void {
  for (const [name, count] of Object.entries(usage)) {
    expectThat(Number.isInteger(count) && count >= 0, `${name} is ${String(count)}`);
  }
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  expectThat(uncachedInputTokens + cacheReadTokens + cacheWriteTokens > 0, 'the input counts no tokens');
  expectThat(costUsd === undefined || (Number.isFinite(costUsd) && costUsd >= 0), `the cost is ${String(costUsd)}`);
}
