import type { ContentPart, Event } from '@palimpsest/events';

/** The text of an event as a model reads it, without thinking. Strings inside of JSON arguments stand unescaped, one a line. */
export function textOfEvent(event: Event): string {
  switch (event.type) {
    case 'system-prompt':
      return `${event.systemPrompt}${event.dynamicContext ?? ''}`;
    case 'message':
    case 'observation':
      return `${textOfParts(event.content)}\n${textOfParts(event.extendedContent ?? [])}`;
    case 'action':
      return `${textOfParts(event.thought)}\n${event.toolCall.name} ${unescaped(event.toolCall.arguments)}`;
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

function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}

/** The scalars of JSON text, one a line; other text unchanged. */
function unescaped(json: string): string {
  try {
    return scalarsOf(JSON.parse(json)).join('\n');
  } catch {
    return json;
  }
}

function scalarsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(scalarsOf);
  return [];
}
