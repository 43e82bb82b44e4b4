import type { Completion, FinishReason } from './llm.js';
import { isReadableInput } from './wire/tool-input.js';

/** True if the model had finished its answer, and neither a limit nor a provider ended it. */
export function endedNaturally(reason: FinishReason): boolean {
  return reason === 'stop' || reason === 'tool-calls';
}

/**
 * Says for each call of an answer whether it is whole, in the order of `message.toolCalls`. Only a whole call may be run.
 *
 * A call whose raw text is a JSON object is whole, because no proper prefix of an object is one. Empty text is whole if the answer
 * ended naturally or another call followed. Text that is not JSON can be repaired only after a natural end. Without raw text, the
 * last call of an answer that did not end naturally is never whole. After a content filter no call is whole.
 */
export function wholeCalls({ message, finishReason, callStates = [] }: Completion): readonly boolean[] {
  const calls = message.toolCalls ?? [];
  return calls.map(({ arguments: text }, index) => {
    if (finishReason === 'content-filter') return false;
    const isLast = index === calls.length - 1;
    switch (callStates[index] ?? 'as-written') {
      case 'complete':
        return true;
      case 'cut':
        return false;
      case 'parsed':
        return endedNaturally(finishReason) || !isLast;
      case 'as-written':
        if (endedNaturally(finishReason)) return true;
        return text.trim() === '' ? !isLast : isReadableInput(text);
    }
  });
}
