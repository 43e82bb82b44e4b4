import type {
  CondensationSummaryEvent,
  MessageEvent,
  SystemPromptEvent,
  ToolResultEvent,
} from './llm-convertible-events.js';
import type { ContentPart } from './message.js';

/** True for a part that says something: an image, or text that is not blank. Providers refuse blank text. */
export function isMeaningful(part: ContentPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

/** The system message's content: the static prompt, then the dynamic context, so that the first stays a cacheable prefix. */
export function systemPromptContent(event: SystemPromptEvent): readonly ContentPart[] {
  return [event.systemPrompt, event.dynamicContext ?? ''].map(textPart).filter(isMeaningful);
}

/** A message's own content, then what skills and rules added. Blank text is left out. */
export function messageContent(event: MessageEvent): readonly ContentPart[] {
  return withExtended(event.content, event.extendedContent);
}

/** A summary's content, as the model reads it in the user's place. Blank text is left out. */
export function summaryContent(event: CondensationSummaryEvent): readonly ContentPart[] {
  return [textPart(event.summary)].filter(isMeaningful);
}

/** What a model reads as the answer to its call. Blank text is left out, so it may be empty. */
export function toolResultContent(event: ToolResultEvent): readonly ContentPart[] {
  switch (event.type) {
    case 'observation':
      return withExtended(event.content, event.extendedContent);
    case 'user-reject-observation':
      return [textPart(event.redacted ? event.rejectionReason : `Action rejected: ${event.rejectionReason}`)].filter(
        isMeaningful,
      );
    case 'agent-error':
      return [textPart(event.error)].filter(isMeaningful);
  }
}

/** True where the answer tells of a failure: an error, a rejection, or an observation marked as one. */
export function isErrorResult(event: ToolResultEvent): boolean {
  return event.type === 'observation' ? event.isError === true : true;
}

function withExtended(
  content: readonly ContentPart[],
  extended: readonly ContentPart[] | undefined,
): readonly ContentPart[] {
  const all = extended === undefined || extended.length === 0 ? content : [...content, ...extended];
  return all.every(isMeaningful) ? all : all.filter(isMeaningful);
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}
