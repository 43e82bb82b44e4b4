import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Event, ObservationEvent, ToolResultEvent } from '@palimpsest/events';
import { isReference } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { canonical } from './digest.js';

/**
 * Returns a reference with the text to which it refers, where the view does not show that any more: an agent that knows nothing of condensations
 * believes its model to have it.
 *
 * @param view - what the model has read when the result comes
 */
export function withReferredText(reference: ToolResultEvent, view: View, log: readonly Event[]): ToolResultEvent {
  const text = reference.type === 'observation' ? hiddenText(reference, view, log) : undefined;
  return text === undefined
    ? reference
    : Object.freeze({ ...(reference as ObservationEvent), content: contentOf(text) });
}

/** The newest text of an equal call. Undefined if the view shows it, or if a later call may have read another one. */
function hiddenText(reference: ToolResultEvent, view: View, log: readonly Event[]): string | undefined {
  const call = log.findLast((event) => event.type === 'action' && event.toolCall.id === reference.toolCallId);
  if (call?.type !== 'action') return undefined;
  const key = keyOf(call);
  const names = namesIn(call);
  const equal: ToolResultEvent[] = [];
  let text: string | undefined;
  let mayBeChanged = false;
  for (const event of log) {
    if (event.type === 'action' && isOf(event, names)) {
      if (event.toolCall.name !== call.toolCall.name) mayBeChanged = true;
      // The same file under another name, or a part of it.
      else if (mayBeChanged && keyOf(event) !== key) text = undefined;
    }
    if (!isToolResult(event)) continue;
    const own = view.callOf(event.id);
    if (own === undefined || keyOf(own) !== key) continue;
    equal.push(event);
    if (event.type !== 'observation' || isReference(event)) continue;
    text = textOf(event);
    mayBeChanged = false;
  }
  const isShown = equal.some(({ id }) => {
    const shown = view.events[view.indexOf(id) ?? view.events.length];
    return shown !== undefined && isToolResult(shown) && textOf(shown) === text;
  });
  return isShown ? undefined : text;
}

/** Undefined for what is more than text. */
function textOf(event: ToolResultEvent): string | undefined {
  const parts = toolResultContent(event).map((part) => (part.type === 'text' ? part.text : undefined));
  return parts.includes(undefined) ? undefined : parts.join('\n');
}

function contentOf(text: string): ObservationEvent['content'] {
  return Object.freeze([Object.freeze({ type: 'text', text })]);
}

function keyOf({ toolCall }: ActionEvent): string {
  return JSON.stringify([toolCall.name, canonical(argumentsOf(toolCall))]);
}

/** The texts among the arguments of a call that can name a file. */
function namesIn({ toolCall }: ActionEvent): readonly string[] {
  const value = argumentsOf(toolCall);
  const texts = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return texts.filter((text): text is string => typeof text === 'string' && /[./\\]/.test(text));
}

/** True if an argument of a call is one of these names, or the end of one: some tools take relative paths. */
function isOf(call: ActionEvent, names: readonly string[]): boolean {
  return namesIn(call).some((own) => names.some((name) => own === name || isEnd(own, name) || isEnd(name, own)));
}

function isEnd(path: string, end: string): boolean {
  return path.endsWith(`/${end}`) || path.endsWith(`\\${end}`);
}

function argumentsOf({ arguments: text }: ActionEvent['toolCall']): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
