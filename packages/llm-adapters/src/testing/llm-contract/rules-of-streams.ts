import type { Completion, CompletionRequest, CountedUsage, Delta } from '../../llm.js';
import {
  answers,
  ask,
  callOf,
  eventually,
  expectSame,
  expectThat,
  listening,
  refusalOf,
  textOf,
  tools,
} from './rule.js';
import type { LLMRule } from './rule.js';

const withTools: CompletionRequest = { ...ask, tools };
const answer = answers('I look at both, in one go.', {
  toolCalls: [callOf('call_a1', '{"path":"a.txt"}'), callOf('call_b2', '{"path":"a/long/path/to/b.txt"}')],
});

/** The rules about streamed answers. */
export const rulesOfStreams: readonly LLMRule[] = [
  {
    name: 'gives the same completion whether somebody listens or not',
    check: async (stage) => {
      const whole = await (await stage(answer)).llm.complete(withTools);
      const streamed = await (await stage(answer)).llm.complete(listening(withTools).request);
      expectSame(comparable(streamed), comparable(whole), 'the completion of a listener');
    },
  },
  {
    name: 'gives the same completion with thinking whether somebody listens or not',
    needs: 'thinking',
    check: async (stage) => {
      const thoughtful = { ...answer, thinking: 'The file should be small, so I read all of it.' };
      const whole = await (await stage(thoughtful)).llm.complete(withTools);
      const { request, deltas } = listening(withTools);
      const streamed = await (await stage(thoughtful)).llm.complete(request);
      expectSame(comparable(streamed), comparable(whole), 'the completion of a listener');
      expectSame(joined(deltas).thinking, thinkingOf(streamed), 'the deltas of the thinking together');
    },
  },
  {
    name: 'hands out deltas that together are the message',
    check: async (stage) => {
      const { llm } = await stage(answer);
      const { request, deltas } = listening(withTools);
      const completion = await llm.complete(request);
      const { text, calls } = joined(deltas);
      expectSame(text, textOf(completion), 'the deltas of the text together');
      const wanted = (completion.message.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
        id,
        name,
        input,
      }));
      expectSame(calls, wanted, 'the deltas of the calls together');
    },
  },
  {
    name: 'hands out no delta after the completion',
    check: async (stage) => {
      const { llm } = await stage(answer);
      const { request, deltas } = listening(withTools);
      await llm.complete(request);
      const count = deltas.length;
      expectThat(count > 0, 'no delta came');
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
      expectSame(deltas.length, count, 'the number of deltas a moment later');
    },
  },
  {
    name: 'hands out pieces before the answer is complete',
    needs: 'streaming',
    check: async (stage) => {
      const { llm } = await stage({ type: 'stall', text: 'I begin' });
      const { request, deltas } = listening(ask);
      const aborter = new AbortController();
      // Not waited for: whether an abort ends it is another rule's question.
      void llm.complete({ ...request, signal: aborter.signal }).catch(() => undefined);
      try {
        await eventually(() => joined(deltas).text === 'I begin', 'no text came from an answer that is not complete');
      } finally {
        aborter.abort(new Error('enough'));
      }
    },
  },
  {
    name: 'takes half an answer for a failure',
    needs: 'streaming',
    check: async (stage) => {
      const { llm } = await stage({ type: 'cut', text: 'I begin' });
      const error = await refusalOf(llm, listening(ask).request);
      expectThat(error.isRetryable, 'a lost connection is said not to be worth another try');
    },
  },
  {
    name: 'counts on the way, where it does, in whole tokens, and no more after the completion',
    check: async (stage) => {
      const { llm } = await stage(answer);
      const counted: CountedUsage[] = [];
      const onUsage = (usage: CountedUsage) => counted.push(usage);
      await llm.complete({ ...listening(withTools).request, onUsage });
      const count = counted.length;
      for (const { usage, costUsd } of counted) {
        for (const [name, tokens] of Object.entries(usage)) {
          expectThat(Number.isInteger(tokens) && tokens >= 0, `${name} is ${String(tokens)}`);
        }
        expectThat(
          costUsd === undefined || (Number.isFinite(costUsd) && costUsd >= 0),
          `the cost is ${String(costUsd)}`,
        );
      }
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
      expectSame(counted.length, count, 'how often something was counted, a moment later');
    },
  },
  {
    name: 'asks again when the connection is lost in the middle, and tells its listener to start over',
    needs: 'retries',
    attempts: 2,
    check: async (stage) => {
      const { llm, sent } = await stage({ type: 'cut', text: 'I begin' }, answer);
      const { request, deltas } = listening(withTools);
      const completion = await llm.complete(request);
      expectSame(sent().length, 2, 'the number of requests sent');
      // An LLM that does not stream has no deltas to take back.
      const wasHeard = deltas.some((delta) => delta.type === 'text' && delta.text.startsWith('I be'));
      const restarts = deltas.filter(({ type }) => type === 'restart').length;
      expectSame(restarts, wasHeard ? 1 : 0, 'how often the listener was told to start over');
      expectSame(textOf(completion), 'I look at both, in one go.', 'the text');
      expectSame(joined(deltas).text, textOf(completion), 'the deltas of the text behind the restart, together');
      expectSame(joined(deltas).calls.length, 2, 'the number of calls behind the restart');
    },
  },
  {
    name: 'tells its listener nothing more when the last try is lost too',
    needs: 'retries',
    attempts: 2,
    check: async (stage) => {
      const { llm, sent } = await stage({ type: 'cut', text: 'I begin' });
      const { request, deltas } = listening(ask);
      const error = await refusalOf(llm, request);
      expectThat(error.isRetryable, 'a lost connection is said not to be worth another try');
      expectSame(sent().length, 2, 'the number of requests sent');
      // The second try may be lost before a word of it is heard.
      const restarts = deltas.filter(({ type }) => type === 'restart');
      expectThat(restarts.length <= 1, 'the listener was told to start over, and nobody tried again');
    },
  },
];

/** Returns a completion without the values that differ between two calls. */
function comparable({ providerResponseId: _id, message, ...rest }: Completion): unknown {
  // Ids and signatures differ between answers, so only their presence is compared.
  return JSON.parse(
    JSON.stringify({ ...rest, message }, (key, value: unknown) =>
      ['id', 'itemId', 'signature', 'encryptedContent', 'thoughtSignature'].includes(key) ? 'present' : value,
    ),
  );
}

/** Returns the text of a message's thinking, in order. */
function thinkingOf({ message }: Completion): string {
  const blocks = (message.thinkingBlocks ?? []).map((block) => (block.type === 'thinking' ? block.thinking : ''));
  const items = (message.reasoningItems ?? []).flatMap(({ summary, content }) => [...summary, ...(content ?? [])]);
  return [...blocks, ...items, message.reasoningContent ?? ''].join('');
}

/** Returns the message that the deltas after the last restart add up to. */
function joined(deltas: readonly Delta[]): {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
} {
  const calls: { id: string; name: string; input: string }[] = [];
  let text = '';
  let thinking = '';
  for (const delta of deltas) {
    if (delta.type === 'text') text += delta.text;
    else if (delta.type === 'thinking') thinking += delta.text;
    else if (delta.type === 'restart') {
      [text, thinking] = ['', ''];
      calls.length = 0;
    } else {
      const call = (calls[delta.index] ??= { id: '', name: '', input: '' });
      call.id += delta.id ?? '';
      call.name += delta.name ?? '';
      call.input += delta.arguments;
    }
  }
  return { text, thinking, calls };
}
