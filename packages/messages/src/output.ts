import { isToolResult, messageContent, toolResultContent } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { protectedEventIds, viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { CallChange, Codec, HostMessage, MessageChanges, ResultChange } from './codec.js';
import { digestAfter, messageDigest } from './digest.js';
import type { HistoryLog } from './history-log.js';
import type { HostList } from './host-list.js';
import { unpaired } from './list-repair.js';

/** One message that is sent. */
export interface SentMessage {
  readonly message: unknown;
  /** The index of the host's message that it is or was; undefined for a summary. */
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
   * What became of a host's message: as it was read last, and with the same events, it becomes the same copy again. A host that moves
   * a cache mark in place changes what is read, though not its digest.
   */
  readonly #copies = new WeakMap<object, { readonly of: readonly unknown[]; readonly copy: SentCopy }>();
  readonly #summaries = new Map<string, SentCopy>();
  #last:
    | {
        readonly log: HistoryLog;
        readonly messages: readonly unknown[];
        /** The condensations; undefined if the view was derived from the log's. */
        readonly edits: readonly Condensation[] | undefined;
        readonly sent: readonly SentMessage[];
      }
    | undefined;

  /** @param repairs - what no provider takes of a list is left out */
  constructor(codec: Codec, label: LabelOf | undefined, repairs = false) {
    this.#codec = codec;
    this.#label = label;
    this.#repairs = repairs;
  }

  /** @param messages - the host's list, which the log has read */
  write(messages: readonly unknown[], log: HistoryLog, view: View): readonly SentMessage[] {
    const edits = viewOfLog(view) === view ? view.condensations : undefined;
    // Of an untouched list every message is the host's own.
    const isUntouched = edits?.length === 0 && this.#label === undefined && !this.#repairs;
    if (isUntouched) return messages.map((message, index) => ({ message, index }));
    // A call that is left out is sent when its result has come.
    const last = this.#repairs ? undefined : this.#last;
    const gone = this.#repairs ? unpaired(view) : nothing;
    // Without another edit a list that has grown is sent as before, with more at its end.
    const isGrown =
      last?.log === log &&
      last.messages.length <= messages.length &&
      edits !== undefined &&
      last.edits !== undefined &&
      isSameList(edits, last.edits);
    const sent: SentMessage[] = [];
    if (isGrown) {
      for (const one of last.sent) {
        const { index } = one;
        const message = index === undefined ? undefined : messages[index];
        if (index === undefined) sent.push(one);
        else if (one.message === last.messages[index]) sent.push({ message, index });
        else sent.push(...this.#messageAt(message, index, log, view, gone));
      }
    }
    const from = isGrown ? last.messages.length : 0;
    const fates = fatesOf(messages, from, log, view);
    const summaries = isGrown ? none : summariesOf(log, view);
    const addSummaries = (before: number): void => {
      for (const text of summaries.get(before) ?? []) sent.push({ ...this.#summary(text), index: undefined });
    };
    for (let index = from; index < messages.length; index++) {
      addSummaries(index);
      if (fates[index - from] === 'sent') sent.push(...this.#messageAt(messages[index], index, log, view, gone));
    }
    addSummaries(messages.length);
    this.#last = { log, messages, edits, sent };
    return sent;
  }

  #summary(text: string): SentCopy {
    let summary = this.#summaries.get(text);
    if (summary === undefined) {
      summary = this.#copyOf(this.#codec.summary(text));
      this.#summaries.set(text, summary);
    }
    return summary;
  }

  #messageAt(
    message: unknown,
    index: number,
    log: HistoryLog,
    view: View,
    gone: ReadonlySet<EventId>,
  ): readonly SentMessage[] {
    const events = log.eventsOf(index);
    const shown = events.map((event) => (gone.has(event.id) ? undefined : shownIn(view, event)));
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

/** The event as the view shows it; undefined if it is forgotten, or if what belongs to it is. */
function shownIn(view: View, event: Event): LLMConvertibleEvent | undefined {
  const index = view.indexOf(event.id);
  if (index === undefined) return hiddenSetUp(view).get(event.id);
  const reason = view.leftOut.get(event.id);
  return reason !== undefined && orphaned.has(reason) ? undefined : view.events.at(index);
}

/** A cache: it is asked for each event. */
const hiddenSetUps = new WeakMap<View, ReadonlyMap<EventId, LLMConvertibleEvent>>();

/** What the host put in the user's place, and a view that a condenser derived lacks. It is sent all the same. */
function hiddenSetUp(view: View): ReadonlyMap<EventId, LLMConvertibleEvent> {
  const known = hiddenSetUps.get(view);
  if (known !== undefined) return known;
  const stored = viewOfLog(view);
  const ids = stored === view ? [] : [...protectedEventIds(stored, { userWords: false })];
  const events = ids.flatMap((id) => stored.events.at(stored.indexOf(id) ?? stored.events.length) ?? []);
  const hidden = new Map(events.flatMap((event) => (view.indexOf(event.id) === undefined ? [[event.id, event]] : [])));
  hiddenSetUps.set(view, hidden);
  return hidden;
}

/** Why a view leaves out what a condensation tore apart. What was torn when it came is the host's own affair. */
const orphaned: ReadonlySet<string> = new Set([
  'the call that it answers is forgotten',
  'a part of its batch is forgotten',
]);

type Fate = 'sent' | 'dropped';

/** A message goes if all its events are gone. A message without events goes with those around it. */
function fatesOf(messages: readonly unknown[], from: number, log: HistoryLog, view: View): readonly Fate[] {
  const fates: (Fate | undefined)[] = [];
  for (let index = from; index < messages.length; index++) {
    const events = log.eventsOf(index);
    const isSent = events.some((event) => shownIn(view, event) !== undefined);
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

/** The texts of the summaries, by the index of the host's message before which they are sent. */
function summariesOf(log: HistoryLog, view: View): ReadonlyMap<number, readonly string[]> {
  const summaries = new Map<number, string[]>();
  if (view.condensations.every(({ summary }) => summary === undefined)) return summaries;
  let after = 0;
  const passed = (id: EventId): void => {
    for (const message of log.messagesOf(id)) after = Math.max(after, message + 1);
  };
  const { system, items } = view.sent();
  if (system !== undefined) passed(system.id);
  for (const item of items) {
    switch (item.kind) {
      case 'words':
        if (item.event.type === 'condensation-summary') {
          const texts = summaries.get(after) ?? [];
          summaries.set(after, [...texts, item.event.summary]);
        } else passed(item.event.id);
        break;
      case 'batch':
        for (const { event } of item.calls) passed(event.id);
        for (const { event } of item.results) passed(event.id);
        break;
      case 'late':
        passed(item.result.event.id);
    }
  }
  return summaries;
}

function changesOf(
  events: readonly Event[],
  shown: readonly (LLMConvertibleEvent | undefined)[],
  { label, host }: { readonly label: LabelOf | undefined; readonly host: HostMessage | undefined },
): MessageChanges {
  const named = new Set(host?.pieces.flatMap((piece) => idIn(piece) ?? []));
  // The log names calls that have no id.
  const idOf = (id: string): string => (named.has(id) ? id : '');
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
        const line = label?.(now);
        const content = now === event ? undefined : toolResultContent(now);
        if (content !== undefined || line !== undefined) results.set(id, { content, line });
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

function idIn(piece: Piece): string | undefined {
  return piece.type === 'call' ? piece.id : piece.type === 'result' ? piece.toolCallId : undefined;
}

function callId(event: Event): string {
  return event.type === 'action' ? event.toolCall.id : '';
}

const nothing: ReadonlySet<EventId> = new Set();
const none: ReadonlyMap<number, readonly string[]> = new Map();

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
