import { isLLMConvertible, isMeaningful, isUserMessage } from '@palimpsest/events';
import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** An event in the view. */
export interface EventEntry {
  readonly kind: 'event';
  readonly index: number;
  readonly event: LLMConvertibleEvent;
  /** The first event of its invocation; undefined for system prompts before the first one. */
  readonly invocation: EventId | undefined;
  /** True if the event may be forgotten and no summary of this condenser covers it. */
  readonly isNew: boolean;
  /** True if a summary of this condenser covers the event, which stayed because it was protected then. */
  readonly standing: boolean;
  readonly isProtected: boolean;
}

/** A summary of this condenser in the view. */
export interface SummaryEntry {
  readonly kind: 'summary';
  readonly index: number;
  readonly event: CondensationSummaryEvent;
  readonly record: WindowRecord;
}

/** A view as a sequence of invocations. */
export interface Timeline {
  readonly entries: readonly (EventEntry | SummaryEntry)[];
  /** The invocations with an event in the view, or with which a summary ends, in order. */
  readonly invocations: readonly { readonly start: EventId; readonly isNew: boolean }[];
  /** Covered events that stayed in the view because they were protected. */
  readonly standing: ReadonlySet<EventId>;
  /** The last invocation: the current one, until the user starts another. */
  readonly live: { readonly start: EventId; readonly index: number } | undefined;
}

/**
 * Reads a view as a sequence of invocations. Each starts with a message of the user that follows a finished run. The first one
 * starts with the first event that is not a system prompt. Linear in the view, independent of the rest of the log.
 */
export function timelineOf(view: View, finishTools: readonly string[]): Timeline {
  const kept = keptEventIds(view);
  const summaries = ownSummaries(view);
  const standing = standingEvents(view, summaries);
  const run = new RunState(view, finishTools);
  const entries: (EventEntry | SummaryEntry)[] = [];
  const invocations = new Map<EventId, { readonly index: number; isNew: boolean }>();
  let current: EventId | undefined;
  const enter = (start: EventId, index: number): void => {
    current = start;
    if (!invocations.has(start)) invocations.set(start, { index, isNew: false });
  };
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    const summary = summaries.get(index);
    if (summary !== undefined) {
      entries.push(summary);
      const { coveredEventIds, invocations: runs } = endingRecord(view, summary.record);
      enter(runs.at(-1)?.start ?? current ?? event.id, index);
      run.resumeBehind(lastEvent(view, coveredEventIds));
      continue;
    }
    if (event.type !== 'system-prompt' && (current === undefined || (isUserMessage(event) && run.isFinished))) {
      enter(event.id, index);
    }
    if (event.type === 'condensation-summary') resumeBehindSummary(run, view, event);
    else run.see(event);
    const isProtected = kept.has(event.id);
    const isNew = !isProtected && !standing.has(event.id) && event.type !== 'system-prompt';
    entries.push({
      kind: 'event',
      index,
      event,
      invocation: current,
      isNew,
      standing: standing.has(event.id),
      isProtected,
    });
    const invocation = current === undefined ? undefined : invocations.get(current);
    if (isNew && invocation !== undefined) invocation.isNew = true;
  }
  return {
    entries,
    standing,
    invocations: [...invocations].map(([start, { isNew }]) => ({ start, isNew })),
    live: current === undefined ? undefined : { start: current, index: invocations.get(current)?.index ?? 0 },
  };
}

function ownSummaries(view: View): ReadonlyMap<number, SummaryEntry> {
  const summaries = new Map<number, SummaryEntry>();
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index);
    if (event?.type !== 'condensation-summary') continue;
    const record = recordOfSummary(view, event);
    if (record !== undefined) summaries.set(index, { kind: 'summary', index, event, record });
  }
  return summaries;
}

/**
 * Returns the covered events that stayed, according to the records. Only user messages can have stayed, so other ids in a record are
 * ignored.
 */
function standingEvents(view: View, summaries: ReadonlyMap<number, SummaryEntry>): ReadonlySet<EventId> {
  const ids = new Set<EventId>();
  for (const { record } of summaries.values()) {
    for (const id of record.standingEventIds) {
      const event = view.original(id);
      if (event !== undefined && isUserMessage(event)) ids.add(id);
    }
  }
  return ids;
}

/** Returns the events behind a summary of another condenser, as listed by its condensation; a planted summary has none. */
function resumeBehindSummary(run: RunState, view: View, { id, condensationId }: CondensationSummaryEvent): void {
  const condensation = condensationId === undefined ? undefined : view.original(condensationId);
  if (condensation?.type !== 'condensation' || view.original(id) !== undefined) return;
  run.resumeBehind(lastEvent(view, condensation.forgottenEventIds));
}

/** Returns the record that states where a record ends: the record itself, unless it only rolled up others. */
function endingRecord(view: View, record: WindowRecord): WindowRecord {
  let ending = record;
  const seen = new Set<EventId>();
  while (ending.coveredEventIds.length === 0 && !seen.has(ending.condensation.id)) {
    seen.add(ending.condensation.id);
    const last = ending.replaces.at(-1);
    const replaced = last === undefined ? undefined : recordInForce(view, last);
    if (replaced === undefined) break;
    ending = replaced;
  }
  return ending;
}

function lastEvent(view: View, ids: readonly EventId[]): LLMConvertibleEvent | undefined {
  const id = ids.at(-1);
  const event = id === undefined ? undefined : view.original(id);
  return event !== undefined && isLLMConvertible(event) ? event : undefined;
}

/** The tool with which the reference agent ends a run. */
export const usualFinishTools: readonly string[] = /* @__PURE__ */ Object.freeze(['finish']);

/**
 * Follows a history event by event and tracks whether a run has just finished: the agent answered with a message without a call,
 * or a finish tool was executed, and no call is open. User messages before that point steer the current run.
 */
class RunState {
  readonly #finishTools: ReadonlySet<string>;
  readonly #view: Pick<View, 'responseOf'>;
  readonly #waiting = new Set<string>();
  #response: EventId | undefined;
  #called = false;
  #ended = false;

  constructor(view: Pick<View, 'responseOf'>, finishTools: Iterable<string>) {
    this.#view = view;
    this.#finishTools = new Set(finishTools);
  }

  /** True if the next message of the user starts an invocation. */
  get isFinished(): boolean {
    return this.#ended && this.#waiting.size === 0;
  }

  see(event: LLMConvertibleEvent): void {
    switch (event.type) {
      case 'message':
        if (event.role === 'assistant') {
          this.#respond(event);
          // A response that the user interrupted is not an answer.
          this.#ended = !this.#called && event.cutOff === undefined && event.content.some(isMeaningful);
        } else if (isUserMessage(event)) this.#ended = false;
        return;
      case 'action':
        this.#respond(event);
        this.#called = true;
        this.#ended = false;
        this.#waiting.add(event.toolCall.id);
        return;
      case 'observation':
        this.#waiting.delete(event.toolCallId);
        if (event.isError !== true && this.#finishTools.has(event.toolName)) this.#ended = true;
        return;
      case 'user-reject-observation':
      case 'agent-error':
        this.#waiting.delete(event.toolCallId);
        return;
      case 'system-prompt':
      case 'condensation-summary':
        return;
    }
  }

  /** Records that the history up to and including an event was forgotten. */
  resumeBehind(event: LLMConvertibleEvent | undefined): void {
    this.#waiting.clear();
    this.#called = false;
    this.#ended = false;
    if (event !== undefined) this.see(event);
    this.#waiting.clear();
  }

  /** A call that is open when another response arrives will not be answered at its position. */
  #respond({ id }: LLMConvertibleEvent): void {
    const response = this.#view.responseOf(id);
    if (response !== undefined && response === this.#response) return;
    this.#response = response;
    this.#called = false;
    this.#waiting.clear();
  }
}

/** The key in the metadata of this condenser's condensations. */
export const condenserName = 'slidingWindow';

/** Consecutive events of one invocation in a record. */
export interface InvocationRun {
  /** The id of the first event of the invocation. */
  readonly start: EventId;
  /** The number of the record's events in the invocation. */
  readonly events: number;
}

/** The record in the metadata of this condenser's condensations. */
export interface WindowRecord {
  readonly condensation: Condensation;
  /** The trigger: `interval`, `tokens` or `request`. */
  readonly reason: string;
  /** The events that the summary covers, as they were logged, in order. */
  readonly coveredEventIds: readonly EventId[];
  /** The invocations of these events, in order. */
  readonly invocations: readonly InvocationRun[];
  /** Covered events that stayed in the view, because they were protected. */
  readonly standingEventIds: readonly EventId[];
  /** The condensations whose summaries were rolled up into this one; their covered events count as covered by it. */
  readonly replaces: readonly EventId[];
  /** The start of the current invocation. */
  readonly requestId: EventId | undefined;
}

/**
 * Reads the record of a condensation; undefined if another condenser made it. A condensation of another condenser, one written by
 * a user or an agent, and one with inconsistent lists count as ordinary history.
 */
function windowRecordOf(condensation: Condensation): WindowRecord | undefined {
  const { metadata = {}, source, summary } = condensation;
  if (source !== 'environment' || summary === undefined || metadata['condenser'] !== condenserName) return undefined;
  const { reason, coveredEventIds, invocations, standingEventIds = [], replaces = [], requestId } = metadata;
  if (typeof reason !== 'string' || !isListOfIds(coveredEventIds) || !isListOfRuns(invocations)) return undefined;
  if (!isListOfIds(standingEventIds) || !isListOfIds(replaces)) return undefined;
  if (requestId !== undefined && typeof requestId !== 'string') return undefined;
  if (coveredEventIds.length === 0 && replaces.length === 0) return undefined;
  if (invocations.reduce((sum, { events }) => sum + events, 0) !== coveredEventIds.length) return undefined;
  return { condensation, reason, coveredEventIds, invocations, standingEventIds, replaces, requestId };
}

/** Returns the record behind a summary in a view; undefined for summaries of other condensers and for planted ones. */
function recordOfSummary(view: View, event: LLMConvertibleEvent): WindowRecord | undefined {
  if (event.type !== 'condensation-summary' || event.condensationId === undefined) return undefined;
  // Summaries that a view creates are not in the log.
  if (view.original(event.id) !== undefined) return undefined;
  const condensation = view.original(event.condensationId);
  return condensation?.type === 'condensation' ? windowRecordOf(condensation) : undefined;
}

/** Returns the record of a condensation in force, by its id. */
export function recordInForce(view: View, id: EventId): WindowRecord | undefined {
  const condensation = view.condensations.findLast((one) => one.id === id);
  return condensation === undefined ? undefined : windowRecordOf(condensation);
}

/** Returns the latest record in log order; undefined if none is in force. */
export function latestRecord(view: View): WindowRecord | undefined {
  for (let index = view.condensations.length - 1; index >= 0; index--) {
    const record = windowRecordOf(view.condensations[index] as Condensation);
    if (record !== undefined) return record;
  }
  return undefined;
}

function isListOfIds(value: unknown): value is readonly EventId[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string');
}

function isListOfRuns(value: unknown): value is readonly InvocationRun[] {
  return Array.isArray(value) && value.every(isRun);
}

function isRun(value: unknown): value is InvocationRun {
  if (typeof value !== 'object' || value === null) return false;
  const { start, events } = value as Partial<InvocationRun>;
  return typeof start === 'string' && typeof events === 'number' && Number.isSafeInteger(events) && events > 0;
}
