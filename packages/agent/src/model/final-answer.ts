import { isErrorResult, isMeaningful, isSentRole } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent, MessageEvent } from '@palimpsest/events';
import { finishToolName } from '../tools/finish-tool.js';

/** The answer in which a log ends. It is not final while its last part is incomplete, and the model is to go on with it. */
export interface LastAnswer {
  readonly text: string;
  readonly isFinal: boolean;
}

/**
 * The answer in which a log ends after one more event; undefined if it ends in none.
 *
 * @param before - the answer in which it ended before that event
 */
export function answerAfter(event: LLMConvertibleEvent, before: LastAnswer | undefined): LastAnswer | undefined {
  switch (event.type) {
    case 'message':
      if (!isSentRole(event.role)) return before;
      return event.source === 'agent' ? answerWith(event, before) : event.source === 'user' ? undefined : begun(before);
    case 'observation':
      return event.toolName === finishToolName && !isErrorResult(event)
        ? { text: textOf(event.content), isFinal: true }
        : undefined;
    case 'agent-error':
      // Calls behind the finish are answered as not run; the answer stays final.
      return before;
    default:
      return undefined;
  }
}

function answerWith({ cutOff, content }: MessageEvent, before: LastAnswer | undefined): LastAnswer | undefined {
  const isFinal = cutOff === undefined;
  // The model may answer anew after an interrupt of the user. What a provider cut, it goes on with.
  if (!isFinal && cutOff.finishReason === undefined) return undefined;
  const text = `${begun(before)?.text ?? ''}${textOf(content)}`;
  // A model that has nothing to add to a cut answer had said all of it.
  if (isFinal && text.trim() === '' && !content.some(isMeaningful)) return undefined;
  return { text, isFinal };
}

function begun(answer: LastAnswer | undefined): LastAnswer | undefined {
  return answer?.isFinal === false ? answer : undefined;
}

/** The text of the parts, one part a line. */
export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
