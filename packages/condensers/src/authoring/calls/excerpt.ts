import { sliceText } from '@palimpsest/events';
import type { ContentPart, Event } from '@palimpsest/events';

/** Stands for a few characters. */
const mark = ' … ';

/** Returns the text, or its beginning and end with a note of the omitted length. Limit: characters. */
export function excerpt(text: string, limit: number): string {
  // A log may hold half of a surrogate pair, which providers refuse.
  if (text.length <= limit) return text.toWellFormed();
  const long = (leftOut: number): string => ` [… ${leftOut} characters left out …] `;
  const most = long(text.length);
  // A note that is longer than what it stands for says less than it takes.
  const isShort = text.length - limit < most.length;
  const kept = Math.max(0, limit - (isShort ? mark : most).length);
  const note = isShort ? mark : long(text.length - kept);
  if (kept < 40) return `${sliceText(text, 0, Math.max(0, limit - 1)).toWellFormed()}…`;
  const head = Math.ceil((kept * 2) / 3);
  return (sliceText(text, 0, head) + note + sliceText(text, text.length - (kept - head))).toWellFormed();
}

/** Returns the text in one line: line breaks and runs of blanks become one blank. Cut like {@link excerpt}. */
export function oneLine(text: string, limit: number): string {
  // Only the part that is kept is searched.
  const near = text.length > limit * 8 ? `${sliceText(text, 0, limit * 4)} … ${sliceText(text, -limit * 2)}` : text;
  return excerpt(near.replaceAll(/\s+/g, ' ').trim(), limit);
}

/** Returns the text that a model could read of an event, line breaks of arguments included; empty for events that no model reads. */
export function textOfEvent(event: Event): string {
  switch (event.type) {
    case 'message':
      return textOf(event.content);
    case 'action':
      return `${textOf(event.thought)}\n${event.toolCall.name} ${event.toolCall.arguments.replace(/\\[nrt"]/g, ' ')}`;
    case 'observation':
      return textOf(event.content);
    case 'user-reject-observation':
      return event.rejectionReason;
    case 'agent-error':
      return event.error;
    case 'condensation-summary':
      return event.summary;
    default:
      return '';
  }
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
