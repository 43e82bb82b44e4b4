import { isToolResult, messageContent, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { protectedEventIds, viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { CallChange, Codec, HostMessage, MessageChanges, ResultChange } from '../codecs/codec.js';
import { digestAfter, messageDigest } from '../log/digest.js';
import type { HistoryLog } from '../log/history-log.js';
import type { HostList } from '../log/host-list.js';
import { insertsOf } from './inserts.js';
import type { PlacedInsert } from './inserts.js';

/** One message that is sent. */
export interface SentMessage {
  readonly message: unknown;
  /** The index of the host's message that it is or was. Undefined for what stands elsewhere, and for a summary. */
  readonly index: number | undefined;
  /** Makes the digest of the message without its thinking. @defaultValue it is the host's own message at the index */
  readonly digest?: (() => string) | undefined;
}

/** A line at the end of a result, by which the model names it. */
export type LabelOf = (event: ToolResultEvent) => string | undefined;

/** Makes what is sent of a host's list. What a condensation did not change is the host's own object. */
export class OutputWriter {
  readonly #codec: Codec;
  readonly #label: LabelOf | undefined;
  readonly #repairs: boolean;
  /**
   * The copies of a host's messages. A message as it was read last, with the same events, becomes the same copy again. A host
   * that moves a cache mark in place changes what is read, though not its digest.
   */
  readonly #copies = new WeakMap<object, { readonly of: readonly unknown[]; readonly copy: SentCopy }>();
  readonly #summaries = new Map<string, SentCopy>();

  /** @param repairs - what no provider takes of a list is left out */
  constructor(codec: Codec, label: LabelOf | undefined, repairs = false) {
    this.#codec = codec;
    this.#label = label;
    this.#repairs = repairs;
  }

  /** Returns true if every message that is sent is the host's own. */
  leavesUntouched(log: HistoryLog, view: View): boolean {
    const isEdited = viewOfLog(view) !== view || view.condensations.length > 0;
    return !isEdited && this.#label === undefined && !this.#repairs && !log.hasSecondResults;
  }

  /** @param messages - the host's list, which the log has read */
  write(messages: readonly unknown[], log: HistoryLog, view: View): readonly SentMessage[] {
    const inserts = this.#made(insertsOf(log, view, this.#repairs), messages, log);
    const gone = new Set([...(this.#repairs ? unpaired(view) : []), ...inserts.flatMap((one) => one.gone)]);
    const inView = eventsInView(view);
    const shown: Shown = (event) => (gone.has(event.id) ? undefined : inView(event));
    const fates = fatesOf(messages.length, log, inView);
    const insertedAt = new Map<number, readonly SentMessage[]>();
    for (const { at, copies } of inserts) insertedAt.set(at, [...(insertedAt.get(at) ?? []), ...copies]);
    const sent: SentMessage[] = [];
    for (let index = 0; index <= messages.length; index++) {
      sent.push(...(insertedAt.get(index) ?? []));
      if (fates[index] === 'sent') sent.push(...this.#messageAt(messages[index], index, log, shown));
    }
    return sent;
  }

  /** The inserts as messages. A late result that cannot be written alone stays where it is. */
  #made(inserts: readonly PlacedInsert[], messages: readonly unknown[], log: HistoryLog): readonly MadeInsert[] {
    return inserts.flatMap(({ at, insert }): readonly MadeInsert[] => {
      if ('summary' in insert) {
        return [{ at, copies: [{ ...this.#summary(insert.summary), index: undefined }], gone: [] }];
      }
      const { call, result, sentId, gone } = insert;
      const parts = [...(call === undefined ? [] : [call]), result];
      const copies = parts.flatMap((event) => this.#extracted(event, sentId, messages, log) ?? []);
      return copies.length < parts.length ? [] : [{ at, copies, gone }];
    });
  }

  /** A call or a result as a message of its own. */
  #extracted(
    event: ActionEvent | ToolResultEvent,
    sentId: string,
    messages: readonly unknown[],
    log: HistoryLog,
  ): SentMessage | undefined {
    for (const index of log.messagesOf(event.id)) {
      const idOf = idsIn(log.list.at(index)?.host);
      const id = idOf(event.type === 'action' ? event.toolCall.id : event.toolCallId);
      const as = id === '' ? '' : sentId;
      const alone = this.#codec.extracted(messages[index], id, as);
      if (alone === undefined) continue;
      const logged = log.eventsOf(index).find((one) => one.id === event.id);
      const result = event.type === 'action' ? undefined : resultChange(logged, event, this.#label);
      const changed = this.#codec.changed(alone, {
        ...(event.type === 'action' && event !== logged
          ? { calls: new Map([[as, { arguments: event.toolCall.arguments }]]) }
          : {}),
        ...(result === undefined ? {} : { results: new Map([[as, result]]) }),
      });
      return changed === undefined ? undefined : { ...this.#copyOf(changed), index: undefined };
    }
    return undefined;
  }

  #summary(text: string): SentCopy {
    let summary = this.#summaries.get(text);
    if (summary === undefined) {
      summary = this.#copyOf(this.#codec.summary(text));
      this.#summaries.set(text, summary);
    }
    return summary;
  }

  #messageAt(message: unknown, index: number, log: HistoryLog, shownBy: Shown): readonly SentMessage[] {
    const events = log.eventsOf(index);
    const shown = events.map(shownBy);
    const isEmpty = log.list.at(index)?.host.pieces.length === 0;
    if (this.#repairs && isEmpty) return [];
    const labels = this.#label;
    const isSame = events.every((event, place) => event === shown[place]);
    if (isSame && (labels === undefined || !events.some(isToolResult))) return [{ message, index }];
    const key = typeof message === 'object' && message !== null ? message : undefined;
    const known = key === undefined ? undefined : this.#copies.get(key);
    const host = log.list.at(index)?.host;
    if (known !== undefined && isSameList(known.of, [host, ...shown])) {
      return [{ ...known.copy, index }];
    }
    const changes = changesOf(events, shown, { label: labels, host });
    const changed = this.#codec.changed(message, changes);
    if (changed === undefined) return [];
    const copy = changed === message ? { message } : this.#copyOf(changed);
    if (key !== undefined) this.#copies.set(key, { of: [host, ...shown], copy });
    return [{ ...copy, index }];
  }

  #copyOf(message: unknown): SentCopy {
    let made: string | undefined;
    return { message, digest: () => (made ??= messageDigest(this.#codec.read(message))) };
  }
}

/** The messages of an insert. */
interface MadeInsert {
  readonly at: number;
  readonly copies: readonly SentMessage[];
  readonly gone: readonly EventId[];
}

type SentCopy = Omit<SentMessage, 'index'>;

/** The digests of what is sent, up to each message. Only what differs from the last request is computed. */
export class SentChain {
  #beside = '';
  #digests: readonly string[] = [];
  #chain: readonly string[] = [];

  /** The digests of what is sent before each of the host's messages, and of all. Begins with what stands beside the messages. */
  beginnings(sent: readonly SentMessage[], list: HostList, beside: string): readonly string[] {
    const digests = sent.map(({ index, digest }) => digest?.() ?? list.digest(index ?? -1));
    let isSame = beside === this.#beside;
    const chain: string[] = [];
    const beginnings: string[] = [];
    let digest = beside;
    sent.forEach(({ index }, place) => {
      const own = digests[place] ?? '';
      // Of a message that is not sent, what comes before the next one.
      if (index !== undefined) while (beginnings.length <= index) beginnings.push(digest);
      isSame &&= this.#digests[place] === own;
      digest = isSame ? (this.#chain[place] ?? '') : digestAfter(digest, own);
      chain.push(digest);
    });
    while (beginnings.length <= list.length) beginnings.push(digest);
    this.#beside = beside;
    this.#digests = digests;
    this.#chain = chain;
    return beginnings;
  }
}

/** An event as a view shows it. Undefined if it is forgotten, or if what belongs to it is. */
type Shown = (event: Event) => LLMConvertibleEvent | undefined;

function eventsInView(view: View): Shown {
  const hidden = hiddenSetUp(view);
  return ({ id }) => {
    const index = view.indexOf(id);
    if (index === undefined) return hidden.get(id);
    const reason = view.leftOut.get(id);
    return reason !== undefined && orphaned.has(reason) ? undefined : view.events.at(index);
  };
}

/**
 * Returns the texts that the host put in the user's place and that a view which a condenser derived lacks. They are sent all the
 * same.
 */
function hiddenSetUp(view: View): ReadonlyMap<EventId, LLMConvertibleEvent> {
  const stored = viewOfLog(view);
  const ids = stored === view ? [] : [...protectedEventIds(stored, { userWords: false })];
  const events = ids.flatMap((id) => stored.events.at(stored.indexOf(id) ?? stored.events.length) ?? []);
  return new Map(events.flatMap((event) => (view.indexOf(event.id) === undefined ? [[event.id, event]] : [])));
}

/**
 * The reasons why a view leaves out what a condensation tore apart. What was torn when it came is the host's own
 * affair.
 */
const orphaned: ReadonlySet<string> = new Set([
  'the call that it answers is forgotten',
  'a part of its batch is forgotten',
]);

type Fate = 'sent' | 'dropped';

/** A message goes if all its events are gone. A message without events goes with those around it. */
function fatesOf(count: number, log: HistoryLog, shown: Shown): readonly Fate[] {
  const fates: (Fate | undefined)[] = [];
  for (let index = 0; index < count; index++) {
    const events = log.eventsOf(index);
    const isSent = events.some((event) => shown(event) !== undefined);
    fates.push(events.length === 0 ? undefined : isSent ? 'sent' : 'dropped');
  }
  let next: Fate = 'sent';
  const after = fates.toReversed().map((fate) => (next = fate ?? next));
  let before: Fate = 'sent';
  return fates.map((fate, place) => {
    before = fate ?? (before === 'dropped' && after[fates.length - 1 - place] === 'dropped' ? 'dropped' : 'sent');
    return before;
  });
}

function changesOf(
  events: readonly Event[],
  shown: readonly (LLMConvertibleEvent | undefined)[],
  { label, host }: { readonly label: LabelOf | undefined; readonly host: HostMessage | undefined },
): MessageChanges {
  const idOf = idsIn(host);
  const calls = new Map<string, CallChange>();
  const results = new Map<string, ResultChange>();
  let words: MessageChanges['words'];
  const kept = shown.filter((event) => event?.type === 'message');
  events.forEach((event, place) => {
    const now = shown[place];
    if (event.type === 'action') {
      if (now?.type !== 'action') calls.set(idOf(callId(event)), 'left-out');
      else if (now !== event) calls.set(idOf(now.toolCall.id), { arguments: now.toolCall.arguments });
    } else if (isToolResult(event)) {
      const id = idOf(event.toolCallId);
      if (now === undefined || !isToolResult(now)) results.set(id, 'left-out');
      else {
        const change = resultChange(event, now, label);
        if (change !== undefined) results.set(id, change);
      }
    } else if (event.type === 'message' && now !== event) {
      words =
        kept.length === 0
          ? 'left-out'
          : kept.flatMap((message) => (message?.type === 'message' ? messageContent(message) : []));
    }
  });
  return {
    ...(words === undefined ? {} : { words }),
    ...(calls.size === 0 ? {} : { calls }),
    ...(results.size === 0 ? {} : { results }),
  };
}

function resultChange(
  logged: Event | undefined,
  shown: ToolResultEvent,
  label: LabelOf | undefined,
): ResultChange | undefined {
  const line = label?.(shown);
  const content = shown === logged ? undefined : toolResultContent(shown);
  return content === undefined && line === undefined ? undefined : { content, line };
}

/** The id by which a message names a call; empty for one that the message does not name. The log names calls that have no id. */
function idsIn(host: HostMessage | undefined): (id: string) => string {
  const named = new Set(host?.pieces.flatMap((piece) => idIn(piece) ?? []));
  return (id) => (named.has(id) ? id : '');
}

function idIn(piece: Piece): string | undefined {
  return piece.type === 'call' ? piece.id : piece.type === 'result' ? piece.toolCallId : undefined;
}

function callId(event: Event): string {
  return event.type === 'action' ? event.toolCall.id : '';
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/**
 * The calls and results that no provider takes: calls without a result, results without a call, calls with the id of an open one. An abort
 * leaves such lists.
 */
function unpaired(view: View): ReadonlySet<EventId> {
  const gone = new Set<EventId>();
  const answered = new Set<string>();
  for (const event of [...view.events].reverse()) {
    const reason = view.leftOut.get(event.id);
    if (isToolResult(event)) {
      if (reason === 'a result without a call that waits for one') gone.add(event.id);
      else answered.add(event.toolCallId);
    } else if (event.type === 'action' && reason !== undefined) {
      // Of an open batch those calls stay that have their result.
      const isOpen = reason === 'waits for the results of an open batch';
      if (!isOpen || !answered.has(event.toolCall.id)) gone.add(event.id);
    }
  }
  return gone;
}
