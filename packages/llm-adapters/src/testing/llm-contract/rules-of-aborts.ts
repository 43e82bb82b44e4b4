import type { CompletionRequest } from '../../llm.js';
import type { LLMUnderTest } from './scenario.js';
import { answers, ask, callOf, eventually, expectSame, expectThat, listening, tools } from './rule.js';
import type { LLMRule } from './rule.js';

/** The rules about aborts. */
export const rulesOfAborts: readonly LLMRule[] = [
  {
    name: 'rejects with the reason of an abort that came before, and sends nothing',
    check: async (stage) => {
      const { llm, sent } = await stage(answers('Too late.'));
      const reason = { why: 'nobody waits' };
      const thrown = await llm.complete({ ...ask, signal: AbortSignal.abort(reason) }).then(
        () => 'an answer',
        (error: unknown) => error,
      );
      expectThat(thrown === reason, `it ended with ${String(thrown)} and not with the reason of the signal`);
      expectSame(sent().length, 0, 'the number of requests sent');
    },
  },
  {
    name: 'rejects with the reason of an abort while it waits for the answer, at once',
    check: async (stage) => {
      const underTest = await stage({ type: 'silence' });
      await expectStops(underTest, ask, () => underTest.sent().length > 0);
    },
  },
  {
    name: 'rejects with the reason of an abort in the middle of the answer, at once',
    needs: 'streaming',
    check: async (stage) => {
      const underTest = await stage({ type: 'stall', text: 'I begin' });
      const { request, deltas } = listening(ask);
      await expectStops(underTest, request, () => deltas.length > 0);
    },
  },
  {
    name: 'rejects with the reason of an abort that its own listener makes, and tells it nothing more',
    needs: 'streaming',
    check: async (stage) => {
      const calls = [callOf('call_a1', '{"path":"a.txt"}'), callOf('call_b2', '{"path":"b.txt"}')];
      const { llm } = await stage(answers('I look at both of the files that are there.', { toolCalls: calls }));
      const aborter = new AbortController();
      const reason = { why: 'that is enough' };
      let heard = 0;
      const onDelta = () => {
        heard += 1;
        aborter.abort(reason);
      };
      const thrown = await llm.complete({ ...ask, tools, onDelta, signal: aborter.signal }).then(
        () => 'an answer',
        (error: unknown) => error,
      );
      expectThat(thrown === reason, `it ended with ${String(thrown)} and not with the reason of the signal`);
      expectSame(heard, 1, 'the number of pieces handed out');
    },
  },
  {
    name: 'answers the next call after an aborted one',
    check: async (stage) => {
      const underTest = await stage({ type: 'silence' }, answers('Here.'));
      await expectStops(underTest, ask, () => underTest.sent().length > 0);
      const { message } = await underTest.llm.complete(ask);
      expectSame(message.content, [{ type: 'text', text: 'Here.' }], 'the answer to the next call');
    },
  },
];

async function expectStops(
  { llm }: LLMUnderTest,
  request: CompletionRequest,
  isUnderWay: () => boolean,
): Promise<void> {
  const aborter = new AbortController();
  // Not an Error: a reason can be any value, and must be thrown unchanged.
  const reason = { why: 'nobody waits any more' };
  let outcome: { readonly thrown?: unknown } | undefined;
  void llm.complete({ ...request, signal: aborter.signal }).then(
    () => (outcome = {}),
    (thrown: unknown) => (outcome = { thrown }),
  );
  await eventually(() => isUnderWay() || outcome !== undefined, 'the request never got under way');
  expectThat(outcome === undefined, 'the call was over before the provider had answered');
  aborter.abort(reason);
  await eventually(() => outcome !== undefined, 'an aborted call did not end');
  const thrown = (outcome as { readonly thrown?: unknown } | undefined)?.thrown;
  expectThat(thrown === reason, `it ended with ${String(thrown)} and not with the reason of the signal`);
}
