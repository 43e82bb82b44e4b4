import { addressOf, isAddress, isLLMConvertible, isToolResult, isUserMessage } from '@palimpsest/events';
import type { Event, EventId, ToolContext, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { bareReference } from './labels.js';

/** Returns the tool result that a reference means: the result itself, or the answer to the named call. */
export function targetOf(
  resolution: Resolution,
  view: Pick<View, 'callOf' | 'resultOf'>,
): { readonly type: 'target'; readonly target: ToolResultEvent } | Rejection {
  if (resolution.type === 'unknown') {
    return rejected(
      'unknown_event',
      "There is no such event. Copy the id from the last line of a result that you have read; it reads '[event_id: …]'.",
    );
  }
  if (resolution.type === 'ambiguous') {
    const named = resolution.candidates.map(describeEvent).join(', ');
    return rejected('ambiguous_event', `More than one event fits. Name one of: ${named}.`);
  }
  const { event } = resolution;
  if (event.type === 'action') {
    const target = view.resultOf(event.id);
    if (target !== undefined) return { type: 'target', target };
    return rejected('no_observation_yet', 'This call has no result yet, so there is nothing to redact.');
  }
  if (!isToolResult(event)) {
    const what = isUserMessage(event) ? 'a message of the user' : `a ${event.type}`;
    return rejected('not_maskable', `It is ${what}. Only results of tools can be redacted; all else stays.`);
  }
  if (view.callOf(event.id) === undefined) {
    return rejected('not_maskable', 'It answers no call, so it is not in the conversation.');
  }
  return { type: 'target', target: event };
}

/** The events of a log that a model's reference names. */
type Resolution =
  | { readonly type: 'found'; readonly event: Event }
  | { readonly type: 'ambiguous'; readonly candidates: readonly Event[] }
  | { readonly type: 'unknown' };

/**
 * Resolves a reference as a model wrote it: the id of an event, the address of one that a model reads (or of a condensation,
 * for its summary), or the id of a tool call. The log decides which, not the form of the text. An event's own id comes first; of
 * addresses and call ids exactly one event must fit. Cost: one pass over the log, unless it is an event's own id.
 */
export function resolveReference(reference: string, log: Pick<ToolContext, 'log' | 'event'>): Resolution {
  const bare = bareReference(reference);
  const own = log.event(reference) ?? log.event(bare);
  if (own !== undefined) return { type: 'found', event: own };
  const address = isAddress(bare.toLowerCase()) ? bare.toLowerCase() : undefined;
  const candidates = new Map<EventId, Event>();
  for (const event of log.log) {
    // Of events with one id only the first is in the conversation.
    if (candidates.has(event.id)) continue;
    const isNamed = address !== undefined && isAddressed(event) && addressOf(event.id) === address;
    if (isNamed || (event.type === 'action' && event.toolCall.id === bare)) candidates.set(event.id, event);
  }
  const [event, ...others] = candidates.values();
  if (event === undefined) return { type: 'unknown' };
  return others.length === 0 ? { type: 'found', event } : { type: 'ambiguous', candidates: [event, ...others] };
}

function isAddressed(event: Event): boolean {
  return isLLMConvertible(event) || event.type === 'condensation';
}

/** The reason of a refusal, for programs. */
export type RejectionCode =
  | 'invalid_id'
  | 'unknown_event'
  | 'ambiguous_event'
  | 'not_maskable'
  | 'no_observation_yet'
  | 'protected_target'
  | 'too_recent'
  | 'already_redacted'
  | 'already_forgotten'
  | 'summary_empty'
  | 'summary_too_long'
  | 'not_shorter'
  | 'rate_limited';

/** A refused request, with the reason in words for the model. */
export interface Rejection {
  readonly type: 'rejected';
  readonly code: RejectionCode;
  readonly reason: string;
}

/** Makes a refusal. */
export function rejected(code: RejectionCode, reason: string): Rejection {
  return { type: 'rejected', code, reason };
}

/** Describes an event in words for the model. */
export function describeEvent(event: Event): string {
  if (event.type === 'action') return `${event.id} (call of ${event.toolCall.name})`;
  return isToolResult(event) ? `${event.id} (result of ${event.toolName})` : `${event.id} (${event.type})`;
}

/** A log in steps: a step is a response of the model and the events until the next response. */
export interface LoggedSteps {
  /** The number of responses in the log. */
  readonly count: number;
  /** The step of an event: the number of responses begun until then, 0 before the first. */
  stepOf(id: EventId): number | undefined;
}

/** Reads the steps of a log, whose view knows where a response begins. Cost: one pass over the log. */
export function loggedSteps(log: Iterable<Event>, view: Pick<View, 'responseOf'>): LoggedSteps {
  const steps = new Map<EventId, number>();
  let count = 0;
  for (const { id } of log) {
    if (steps.has(id)) continue;
    if (view.responseOf(id) === id) count++;
    steps.set(id, count);
  }
  return { count, stepOf: (id) => steps.get(id) };
}
