import { isUserMessage } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import { responsesSince, turnsOf, viewOfLog, withRuns } from '../log-view.js';
import type { View } from '../view.js';
import { pinnedEventIds } from './pins.js';

/**
 * Returns the events of a view that no condenser forgets by default:
 *
 * - the system prompt in force;
 * - set-up: what the host put before the first answer of the model;
 * - of later texts of the host (`hostText`) the newest of each kind, at most 20. Two are of one kind if their `hostText`, their tag and
 *   the first 40 characters after it are equal;
 * - of the user's messages the first, the latest, those before the first answer, and those that no finished turn has answered. A turn
 *   is finished by an answer without calls, or by the tool `finish`. Word-for-word repeats count once, the newest;
 * - the pinned events together with the rest of their units.
 *
 * @param options - `userWords: false` leaves the user's messages out, for a condenser that declares `protects: false`
 */
export function protectedEventIds(
  view: View,
  options: { readonly userWords?: boolean | undefined } = {},
): ReadonlySet<EventId> {
  const ids = new Set<EventId>(pinnedEventIds(view));
  const { system, words } = instructionsAndWords(view);
  const ofUser = options.userWords === false ? [] : words.filter(isUserMessage);
  for (const event of [ofUser[0], ofUser.at(-1), system]) if (event !== undefined) ids.add(event.id);
  for (const { id } of hostWords(view, words.filter(isHostWords))) ids.add(id);
  for (const { id } of waitingOf(view, ofUser)) ids.add(id);
  return ids;
}

/** The newest system prompt of a view, and all messages in the user's place: one walk, because this is asked at each step. */
function instructionsAndWords({ events }: View): {
  readonly system: SystemPromptEvent | undefined;
  readonly words: readonly MessageEvent[];
} {
  const words: MessageEvent[] = [];
  let system: SystemPromptEvent | undefined;
  for (const event of events) {
    if (event.type === 'message') {
      if (event.role === 'user' || event.source === 'user') words.push(event);
    } else if (event.type === 'system-prompt') system = event;
  }
  return { system, words };
}

/** Of how many kinds the newest stays: a host that begins each reminder otherwise must not fill the window. */
const mostKinds = 20;

/** The set-up of a view, and the newest of each kind of later texts of the host. A view that does not know its log has none. */
function hostWords(view: View, words: readonly MessageEvent[]): readonly MessageEvent[] {
  const turns = turnsOf(view);
  if (turns === undefined) return [];
  const kinds = new Set<string>();
  const isSetUp = (event: MessageEvent): boolean => isBefore(view, event, turns.firstAnswer);
  const newest = words.toReversed().filter((event) => {
    if (event.hostText === undefined || isSetUp(event) || kinds.size === mostKinds) return false;
    return isNew(kinds, kindOf(event));
  });
  return [...words.filter(isSetUp), ...newest];
}

/**
 * Returns the messages of the user that no finished turn has answered, and those before the first answer of the model,
 * in order. A view that does not know its log has none.
 */
export function waitingWords(view: View): readonly MessageEvent[] {
  return waitingOf(view, view.events.filter(isUserMessage));
}

function waitingOf(view: View, words: readonly MessageEvent[]): readonly MessageEvent[] {
  const turns = turnsOf(view);
  if (turns === undefined) return [];
  const said = new Set<string>();
  return words
    .toReversed()
    .filter((event) => {
      const waits = isBefore(view, event, turns.firstAnswer) || !isBefore(view, event, turns.lastFinish);
      return waits && isNew(said, JSON.stringify(event.content));
    })
    .reverse();
}

/** True for a message in the user's place that the user did not write. */
function isHostWords(event: LLMConvertibleEvent): event is MessageEvent {
  return event.type === 'message' && event.role === 'user' && event.source === 'environment';
}

function isBefore(view: View, { id }: MessageEvent, position: number): boolean {
  return (view.positionOf(id) ?? Infinity) < position;
}

/** Adds a name to those that were seen. */
function isNew(seen: Set<string>, name: string): boolean {
  const { size } = seen;
  return seen.add(name).size > size;
}

/** The length of a text's beginning that two of one kind share. Unit: characters. */
const kindLength = 40;

function kindOf({ content, hostText }: MessageEvent): string {
  const text = content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trimStart();
  const [tag = ''] = /^<[^<>\n]{1,100}>/.exec(text) ?? [];
  return `${hostText} ${tag} ${text.slice(tag.length).trimStart().slice(0, kindLength)}`;
}

/**
 * Returns the events that {@link condensation} never forgets or masks: the protected and pinned events of a view and,
 * for a view made by `replace` or `without`, those of the log's view; also {@link recalledEventIds}. If one event of a
 * unit with a run is kept, the whole unit is kept. The set includes every event that a host refuses to lose.
 */
export function keptEventIds(view: View): ReadonlySet<EventId> {
  const stored = viewOfLog(view);
  const kept = new Set([...protectedEventIds(view), ...recalledEventIds(view)]);
  return withRuns(stored, stored === view ? kept : new Set([...kept, ...protectedEventIds(stored)]));
}

/**
 * The time for which a recalled answer stays: the time after which the measures count it as needed again. Unit: model
 * responses.
 */
const keptResponses = 10;
/** The largest size of recalled answers in a view, so that they never make it too large. Unit: share of its tokens. */
const keptShare = 0.25;

/**
 * Returns the answers of a recall tool that are young: those of the ten newest model responses of the log, the newest
 * first, with the other events of their units, as long as they take at most a quarter of the view. A condenser leaves
 * them, because what it hides again at once is recalled again at once. A tool marks such an answer by
 * `details.recalledEventIds`: the events whose text it holds.
 *
 * They are kept, not protected: a host does not refuse a condensation that forgets them.
 */
export function recalledEventIds(view: View): ReadonlySet<EventId> {
  const { events, cutPoints } = view;
  const young = new Set<EventId>();
  let room: number | undefined;
  let tokens = 0;
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at] as LLMConvertibleEvent;
    if (!isRecalled(event)) continue;
    room ??= view.tokens() * keptShare;
    // The response that asked for it stands before it.
    if (responsesSince(view, event.id, keptResponses) >= keptResponses) break;
    if (isRedacted(event) || young.has(event.id)) continue;
    const [start, end] = [cutPoints.atOrBefore(at) ?? 0, cutPoints.atOrAfter(at + 1) ?? events.length];
    tokens += view.tokens(start, end);
    if (tokens > room) break;
    for (const { id } of events.slice(start, end)) young.add(id);
  }
  return young;
}

/** Returns true for an answer of a recall tool. */
export function isRecalled(event: LLMConvertibleEvent): boolean {
  return event.type === 'observation' && Array.isArray(event.details?.['recalledEventIds']);
}

function isRedacted(event: LLMConvertibleEvent): boolean {
  return event.type === 'observation' && event.redacted === true;
}
