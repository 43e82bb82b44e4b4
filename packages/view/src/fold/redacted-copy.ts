import { isToolResult } from '@palimpsest/events';
import type { LLMConvertibleEvent, Redaction } from '@palimpsest/events';

/** Whether a redaction fits an event: a text for a tool result, arguments for a call. */
export function isRedactable(event: LLMConvertibleEvent, redaction: Pick<Redaction, 'text' | 'arguments'>): boolean {
  return event.type === 'action'
    ? redaction.arguments !== undefined
    : isToolResult(event) && redaction.text !== undefined;
}

/**
 * A copy of an event with a redaction applied: it replaces the text of a tool result, or the arguments of a call. Id, position,
 * call and tool name stay the same. Undefined if the redaction does not fit the event. The same redaction of the same event
 * gives the same copy.
 */
export function redactedCopy(
  event: LLMConvertibleEvent,
  redaction: Pick<Redaction, 'text' | 'arguments'>,
): LLMConvertibleEvent | undefined {
  const replacement = event.type === 'action' ? redaction.arguments : redaction.text;
  if (replacement === undefined) return undefined;
  const known = copies.get(event);
  if (known?.replacement === replacement) return known.copy;
  const copy = copyOf(event, redaction);
  if (copy !== undefined) copies.set(event, { replacement, copy });
  return copy;
}

/** A cache: the condenser that measures a copy, the fold, and a condenser that masks at each step share one copy of an event. */
const copies = new WeakMap<LLMConvertibleEvent, { readonly replacement: string; readonly copy: LLMConvertibleEvent }>();

function copyOf(
  event: LLMConvertibleEvent,
  redaction: Pick<Redaction, 'text' | 'arguments'>,
): LLMConvertibleEvent | undefined {
  if (event.type === 'action') {
    if (redaction.arguments === undefined) return undefined;
    const { id, name } = event.toolCall;
    return Object.freeze({
      ...event,
      toolCall: Object.freeze({ id, name, arguments: redaction.arguments }),
      redacted: true,
    });
  }
  if (!isToolResult(event) || redaction.text === undefined) return undefined;
  const { text } = redaction;
  switch (event.type) {
    case 'observation': {
      const { extendedContent: _extended, ...kept } = event;
      const content = Object.freeze([Object.freeze({ type: 'text' as const, text })]);
      return Object.freeze({ ...kept, content, redacted: true });
    }
    case 'user-reject-observation':
      return Object.freeze({ ...event, rejectionReason: text, redacted: true });
    case 'agent-error':
      return Object.freeze({ ...event, error: text, redacted: true });
  }
}
