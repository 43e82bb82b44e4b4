import { addressOf, isToolResult, sliceText } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent, Redaction } from '@palimpsest/events';

/** The changes that a redaction makes to its event. */
type Change = Pick<Redaction, 'text' | 'arguments' | 'cut'>;

/**
 * Returns true if a redaction fits an event: a text for a tool result, arguments for a call, a cut for a message or a
 * result.
 */
export function isRedactable(event: LLMConvertibleEvent, redaction: Change): boolean {
  if (event.type === 'action') return redaction.arguments !== undefined;
  if (isToolResult(event)) return redaction.text !== undefined || redaction.cut !== undefined;
  return event.type === 'message' && redaction.cut !== undefined;
}

/**
 * Returns a copy of an event with a redaction applied: it replaces the text of a tool result, or the arguments of a
 * call, or leaves the middle of a message or a result out. Id, position, call and tool name stay the same. Undefined if
 * the redaction does not fit the event, or if the text is no longer than what a cut keeps. The same redaction of the
 * same event gives the same copy.
 */
export function redactedCopy(event: LLMConvertibleEvent, redaction: Change): LLMConvertibleEvent | undefined {
  if (!isRedactable(event, redaction)) return undefined;
  const { cut } = redaction;
  const replacement =
    (event.type === 'action' ? redaction.arguments : redaction.text) ?? `cut ${cut?.head ?? 0} ${cut?.tail ?? 0}`;
  const known = copies.get(event);
  if (known?.replacement === replacement && known.isCut === (cut !== undefined)) return known.copy;
  const copy = copyOf(event, redaction);
  if (copy !== undefined) copies.set(event, { replacement, isCut: cut !== undefined, copy });
  return copy;
}

/** A cache: the condenser that measures a copy, the fold, and a condenser that masks at each step share one copy of an event. */
const copies = new WeakMap<
  LLMConvertibleEvent,
  { readonly replacement: string; readonly isCut: boolean; readonly copy: LLMConvertibleEvent }
>();

function copyOf(event: LLMConvertibleEvent, redaction: Change): LLMConvertibleEvent | undefined {
  switch (event.type) {
    case 'action': {
      if (redaction.arguments === undefined) return undefined;
      const { id, name } = event.toolCall;
      const toolCall = Object.freeze({ id, name, arguments: redaction.arguments });
      return Object.freeze({ ...event, toolCall, redacted: true });
    }
    case 'message':
    case 'observation': {
      const { extendedContent = [], ...kept } = event;
      const content = redactedContent([...event.content, ...extendedContent], event.id, redaction);
      return content && Object.freeze({ ...kept, content, redacted: true });
    }
    case 'user-reject-observation': {
      const rejectionReason = redactedText(event.rejectionReason, event.id, redaction);
      return rejectionReason === undefined ? undefined : Object.freeze({ ...event, rejectionReason, redacted: true });
    }
    case 'agent-error': {
      const error = redactedText(event.error, event.id, redaction);
      return error === undefined ? undefined : Object.freeze({ ...event, error, redacted: true });
    }
    default:
      return undefined;
  }
}

function redactedContent(
  content: readonly ContentPart[],
  id: string,
  { text, cut }: Change,
): readonly ContentPart[] | undefined {
  if (text !== undefined) return Object.freeze([textPart(text)]);
  return cut === undefined ? undefined : withoutMiddle(content, cut, id);
}

function redactedText(original: string, id: string, change: Change): string | undefined {
  const [part] = redactedContent([textPart(original)], id, change) ?? [];
  return part?.type === 'text' ? part.text : undefined;
}

/**
 * Returns the length of the text that a cut of an event can shorten, images and other parts aside. Unit: characters.
 */
export function cuttableLength(event: LLMConvertibleEvent): number {
  switch (event.type) {
    case 'message':
    case 'observation':
      return textLength([...event.content, ...(event.extendedContent ?? [])]);
    case 'user-reject-observation':
      return event.rejectionReason.length;
    case 'agent-error':
      return event.error.length;
    default:
      return 0;
  }
}

function textLength(content: readonly ContentPart[]): number {
  return content.reduce((length, part) => length + (part.type === 'text' ? part.text.length : 0), 0);
}

/** The note in place of the middle. It does not say how much is gone, so that a text can be cut again. */
function noteOf(id: string): string {
  return `\n[… the middle of this text is left out; its address is ${addressOf(id)} …]\n`;
}

/** The text parts as one text, of which the middle is left out. Images stay. Undefined if that is no shorter. */
function withoutMiddle(
  content: readonly ContentPart[],
  { head, tail }: NonNullable<Redaction['cut']>,
  id: string,
): readonly ContentPart[] | undefined {
  const length = textLength(content);
  const note = noteOf(id);
  if (head + tail + note.length >= length) return undefined;
  let at = 0;
  const parts = content.flatMap((part): readonly ContentPart[] => {
    if (part.type !== 'text') return [part];
    const [start, end] = [at, at + part.text.length];
    at = end;
    const first = sliceText(part.text, 0, Math.max(0, head - start));
    const last = sliceText(part.text, Math.max(0, length - tail - start));
    // The note stands in the part in which the middle begins.
    const between = start <= head && head < end ? note : '';
    if (end <= head || start >= length - tail) return [part];
    const text = first + between + last;
    return text === '' ? [] : [textPart(text)];
  });
  return Object.freeze(parts);
}

function textPart(text: string): ContentPart {
  return Object.freeze({ type: 'text', text });
}
