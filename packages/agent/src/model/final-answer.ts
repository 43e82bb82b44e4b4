import { isErrorResult, isMeaningful, isSentRole } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent } from '@palimpsest/events';
import { finishToolName } from '../tools/finish-tool.js';

/**
 * The answer in which a log ends after one more event.
 *
 * @param before - the answer in which it ended before that event
 */
export function finalAnswerAfter(event: LLMConvertibleEvent, before: string | undefined): string | undefined {
  switch (event.type) {
    case 'message':
      if (!isSentRole(event.role)) return before;
      return event.source === 'agent' && event.cutOff === undefined && event.content.some(isMeaningful)
        ? textOf(event.content)
        : undefined;
    case 'observation':
      return event.toolName === finishToolName && !isErrorResult(event) ? textOf(event.content) : undefined;
    case 'agent-error':
      // Calls behind the finish are answered as not run; the answer stays final.
      return before;
    default:
      return undefined;
  }
}

/** The text of the parts, one part a line. */
export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
