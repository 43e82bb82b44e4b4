import { isMeaningful, isSentRole, isToolResult, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, LLMConvertibleEvent, MessageEvent } from '@palimpsest/events';
import { viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { textOfEvent } from '../../authoring/calls/excerpt.js';
import { aheadReader } from '../ahead.js';
import { callFacts, isRead, nothingKnown } from './call-facts.js';
import type { KnownBefore } from './call-facts.js';
import type { Fact } from './fact.js';
import { Manifest } from './manifest.js';
import type { RunningEntry } from './manifest.js';
import { endedInNotice, mostRunning } from './running-facts.js';

/** The calls of a stretch by their own ids and those of their events. Most results name their call, so most logs need no index. */
class NamedCalls {
  readonly #byId = new Map<string, ActionEvent>();
  #new: ActionEvent[] = [];

  push(action: ActionEvent): void {
    this.#new.push(action);
  }

  get(id: string): ActionEvent | undefined {
    for (const action of this.#new) this.#byId.set(action.id, action).set(action.toolCall.id, action);
    this.#new = [];
    return this.#byId.get(id);
  }
}

/** An event of a view, or the id of one that was forgotten. */
interface StoredEvent {
  readonly id: EventId;
  readonly type?: string;
  /** True for a masked copy. */
  readonly redacted?: boolean | undefined;
}

/** The source of facts. */
export interface FactSource {
  /** Any event of the log as it was logged. */
  original(id: EventId): Event | undefined;
}

/**
 * Reads the facts of a stretch of a log in order and adds them to the manifest of the preceding events. Events are read as they
 * were logged, so masked events count in full. Facts in `besides` are known but not added to the manifest.
 */
export function readFacts(
  events: Iterable<StoredEvent>,
  source: FactSource,
  manifest: Manifest,
  besides?: KnownBefore,
): readonly Fact[] {
  const known: KnownBefore = {
    knowsFile: (path) => manifest.knowsFile(path) || besides?.knowsFile(path) === true,
    isFailing: (test) => manifest.isFailing(test) || besides?.isFailing(test) === true,
    isRunning: (id) => manifest.isRunning(id) || besides?.isRunning(id) === true,
  };
  const facts: Fact[] = [];
  const calls = new NamedCalls();
  let latest: ActionEvent | undefined;
  const add = (fact: Fact): void => {
    facts.push(fact);
    manifest.add(fact);
  };
  // The log's own view holds an event as it was logged, unless it was masked: no look-up for each of thousands.
  const isLogsView = viewOfLog(source as View) === source;
  for (const stored of events) {
    const isLogged =
      isLogsView && stored.type !== undefined && stored.type !== 'condensation-summary' && stored.redacted !== true;
    const event = isLogged ? (stored as Event) : source.original(stored.id);
    if (event === undefined) continue;
    const { id } = event;
    if (event.type === 'message') {
      if (event.role === 'user') for (const fact of endsIn(event, known)) add(fact);
      const by = isUserMessage(event)
        ? 'user'
        : event.source === 'agent' && isSentRole(event.role)
          ? 'agent'
          : undefined;
      if (by === undefined || !event.content.some(isMeaningful)) continue;
      add({ kind: 'words', by, eventId: id });
    } else if (event.type === 'action') {
      calls.push(event);
      latest = event;
      if (event.thought.some(isMeaningful)) add({ kind: 'words', by: 'agent', eventId: id });
    } else if (event.type === 'condensation-summary') {
      add({ kind: 'earlier-summary', eventId: id });
    } else if (isToolResult(event)) {
      const { actionId } = event;
      const logged = actionId === undefined ? undefined : actionId === latest?.id ? latest : source.original(actionId);
      const action = logged?.type === 'action' ? logged : calls.get(event.toolCallId);
      if (action === undefined) continue;
      for (const fact of callFacts(action, event, known)) add(fact);
    }
  }
  return facts;
}

/**
 * Returns what runs after a range and has not ended by a later event: the newest {@link mostRunning}, the newest last.
 */
export function stillRunning(
  view: View,
  range: readonly { readonly id: EventId }[],
  { running }: Manifest,
): readonly RunningEntry[] {
  const last = range.at(-1);
  if (running.length === 0 || last === undefined) return [];
  const after = new Manifest(running.map((entry) => ({ kind: 'running', ...entry })));
  readFacts(view.events.slice((view.indexOf(last.id) ?? 0) + 1), view, after);
  return running.filter(({ id }) => after.isRunning(id)).slice(-mostRunning);
}

/** What a notice of the runtime, in the user's place, says has ended. */
function endsIn(event: MessageEvent, { isRunning }: KnownBefore): readonly Fact[] {
  return endedInNotice(textOfEvent(event), isRunning).map((id) => ({ kind: 'running', id, of: '', isEnded: true }));
}

/** Reads the call of a result ahead, as if nothing was known before it: a later {@link readFacts} reads few of them again. */
export function readFactsOf(event: LLMConvertibleEvent, view: View): void {
  if (!isToolResult(event) || isRead(event)) return;
  const result = view.original(event.id);
  if (result === undefined || !isToolResult(result) || isRead(result) || result.actionId === undefined) return;
  const action = view.original(result.actionId);
  if (action?.type === 'action') callFacts(action, result, nothingKnown);
}

/** Reads the newest calls of a view ahead. */
export const readFactsAhead = /* @__PURE__ */ aheadReader(readFactsOf);
