import { LLMError } from '../../errors.js';
import type { CompletionRequest, LLM } from '../../llm.js';
import { wholeCalls } from '../../llm.js';
import { answers, ask, callOf, expectSame, expectThat, tools } from './rule.js';
import type { LLMRule } from './rule.js';

const withTools: CompletionRequest = { ...ask, tools };
const whole = '{"path":"a.txt"}';
const half = '{"path":"build/ca';
/** JSON of numbers that JavaScript would round. */
const exact = '{"path":"a.txt","id":12345678901234567890,"most":1e400}';

/** The rules about calls that are whole, and that are not. Only a whole call may be run: see `wholeCalls`. */
export const rulesOfCalls: readonly LLMRule[] = [
  {
    name: 'takes every call of an answer that ended naturally for whole',
    check: async (stage) => {
      const { llm } = await stage(answers('', { toolCalls: [callOf('call_a1', whole), callOf('call_b2', '')] }));
      for (const request of requests()) expectSame(await wholeOf(llm, request), [true, true], 'which calls are whole');
    },
  },
  {
    name: 'takes a call that the limit cut off for no whole one, and the one before it for whole',
    needs: 'cut-calls',
    check: async (stage) => {
      const toolCalls = [callOf('call_a1', whole), callOf('call_b2', half)];
      const { llm } = await stage(answers('', { toolCalls, finishReason: 'length' }));
      for (const request of requests()) {
        const [first, ...rest] = await wholeOf(llm, request);
        expectSame([first, rest.includes(true)], [true, false], 'whether the first call is whole, and another one');
      }
    },
  },
  {
    name: 'takes a call of which no text came before the limit for no whole one',
    needs: 'cut-calls',
    check: async (stage) => {
      const { llm } = await stage(answers('', { toolCalls: [callOf('call_a1', '')], finishReason: 'length' }));
      for (const request of requests()) {
        expectThat(!(await wholeOf(llm, request)).includes(true), 'a call without one byte of arguments is whole');
      }
    },
  },
  {
    name: 'takes no call for whole after a content filter',
    needs: 'content-filter',
    check: async (stage) => {
      const filtered = answers('', { toolCalls: [callOf('call_a1', whole)], finishReason: 'content-filter' });
      const { llm } = await stage(filtered);
      for (const request of requests()) {
        // An LLM may also report a filter as an error.
        const found = await wholeOf(llm, request).catch((thrown: unknown): readonly boolean[] => {
          if (LLMError.isInstance(thrown)) return [];
          throw thrown;
        });
        expectThat(!found.includes(true), 'a call is whole after a content filter');
      }
    },
  },
  {
    name: 'keeps the text of arguments to the byte, or says that there is none',
    check: async (stage) => {
      const { llm } = await stage(answers('', { toolCalls: [callOf('call_a1', exact)] }));
      for (const request of requests()) {
        const { message, callStates } = await llm.complete(request);
        if (callStates?.[0] !== 'parsed') expectSame(message.toolCalls?.[0]?.arguments, exact, 'the arguments');
      }
    },
  },
  {
    name: 'says of every call what it knows of it, or of none',
    check: async (stage) => {
      const { llm } = await stage(answers('', { toolCalls: [callOf('call_a1', whole), callOf('call_b2', whole)] }));
      const { callStates = ['as-written', 'as-written'] } = await llm.complete(withTools);
      expectSame(callStates.length, 2, 'the number of states of two calls');
      const known: readonly string[] = ['as-written', 'complete', 'parsed', 'cut'];
      expectThat(
        callStates.every((state) => known.includes(state)),
        `the states are ${callStates.join(', ')}`,
      );
    },
  },
];

/** With a listener and without: an LLM may read its answers in two ways. */
function requests(): readonly CompletionRequest[] {
  return [withTools, { ...withTools, onDelta: () => undefined }];
}

async function wholeOf(llm: LLM, request: CompletionRequest): Promise<readonly boolean[]> {
  return wholeCalls(await llm.complete(request));
}
