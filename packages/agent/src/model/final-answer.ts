import { isErrorResult, isMeaningful, isSentRole } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent } from '@palimpsest/events';
import { finishToolName } from '../tools/finish-tool.js';

/** The answer in which a log ends after one more event, given the one in which it ended before. */
export function answerAfter(event: LLMConvertibleEvent, before: string | undefined): string | undefined {
  switch (event.type) {
    case 'message':
      if (!isSentRole(event.role)) return before;
      return event.source === 'agent' && event.cutOff === undefined && event.content.some(isMeaningful)
        ? wordsOf(event.content)
        : undefined;
    case 'observation':
      return event.toolName === finishToolName && !isErrorResult(event) ? wordsOf(event.content) : undefined;
    case 'agent-error':
      // The calls after a finish are answered as not run, and the work is as finished as it was.
      return before;
    default:
      return undefined;
  }
}

/** The text among the parts. */
export function wordsOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
