import type { Codec } from '../codecs/codec.js';
import type { HistoryLog } from '../log/history-log.js';
import { digestAfter } from '../log/digest.js';
import type { SentChain, SentMessage } from './output.js';
import { keyOf } from '../log/own-events.js';
import type { AttributedAnswer, OwnEvents, SentRequest } from '../log/own-events.js';

/** The facts that decide which thinking verifies. */
export interface ThinkingContext {
  readonly codec: Codec;
  readonly log: HistoryLog;
  readonly own: OwnEvents;
  readonly chain: SentChain;
  /** The digest of what stands beside the messages: system and tools. */
  readonly beside: string;
  readonly leavesOutAll: boolean;
  /** The provider has refused what was sent for this list before. */
  readonly supersedes: boolean;
  readonly sendsUnknown: boolean;
}

/**
 * Returns the messages for a model that binds its thinking to all that came before it: the same messages, without the
 * thinking that would not verify. Thinking verifies if what is sent before it is what was sent when it was made, so the
 * digest of each request is kept. Thinking that was left out once stays out, because later thinking was made without
 * it.
 */
export function withVerifiedThinking(sent: readonly SentMessage[], context: ThinkingContext): readonly SentMessage[] {
  const { codec, log, own, beside } = context;
  const count = log.list.length;
  const beginnings = context.chain.beginnings(sent, log.list, beside);
  const gone = thinkingLeftOut(log, own);
  const newlyGone: number[] = [];
  let isUnknown = false;
  const untouched = untouchedBeginnings(log, beside);
  const answers: AttributedAnswer[] = [];
  const newest = startOfNewestAnswer(log);
  const requestOf = (index: number): AttributedAnswer | undefined => {
    const answer = log.list.beginning(index + 1);
    const known = own.requestOf(answer);
    // An answer is seen for the first time while it is the newest. Of an older one the request is not known.
    if (known !== undefined || index < newest) return known;
    const asked = requestAt(log, own, newest);
    if (asked === undefined) return undefined;
    const seen = { answer, ...asked };
    answers.push(seen);
    return seen;
  };
  const messages = sent.flatMap((one): readonly SentMessage[] => {
    const { message, index } = one;
    if (index === undefined || !hasThinking(log, index)) return [one];
    if (!gone.has(index)) {
      const asked = isUnknown ? undefined : requestOf(index);
      if (asked === undefined && !context.sendsUnknown) isUnknown = true;
      const before = beginnings[asked?.count ?? index];
      const verifies =
        asked === undefined ? context.sendsUnknown && before === untouched(index) : asked.sent === before;
      if (verifies && !context.leavesOutAll) return [one];
      newlyGone.push(index);
    }
    const copy = codec.changed(message, { thinking: 'left-out' });
    return copy === undefined ? [] : [{ ...one, message: copy }];
  });
  const request: SentRequest = {
    sent: beginnings[count] ?? beside,
    withoutThinking: newlyGone,
    answers,
    ...(context.supersedes ? { supersedes: true } : {}),
  };
  const behind = log.placeAt(log.list.throughAnswer);
  const last = own.requestsBehind(behind).at(-1);
  const isRecorded = last?.sent === request.sent && keyOf(last.place) === keyOf(log.place);
  if (!isRecorded || context.supersedes || newlyGone.length + answers.length > 0)
    own.add({ place: log.place, covers: behind }, [], request);
  return messages;
}

/** The messages whose thinking was left out of an earlier request. */
function thinkingLeftOut(log: HistoryLog, own: OwnEvents): ReadonlySet<number> {
  const gone = new Set<number>();
  for (const { place, withoutThinking } of own.leftOut) {
    if (place.count > log.list.length || log.list.beginning(place.count) !== place.beginning) continue;
    for (const index of withoutThinking) gone.add(index);
  }
  return gone;
}

/** The digest of what is sent before a message if nothing is changed. */
function untouchedBeginnings(log: HistoryLog, beside: string): (index: number) => string {
  const beginnings = [beside];
  return (index) => {
    for (let next = beginnings.length; next <= index; next++) {
      beginnings.push(digestAfter(beginnings[next - 1] ?? '', log.list.digest(next - 1)));
    }
    return beginnings[index] ?? '';
  };
}

function hasThinking(log: HistoryLog, index: number): boolean {
  return log.list.at(index)?.host.pieces.some(({ type }) => type === 'thinking') === true;
}

/**
 * The request to which the answer at an index was made: the last one behind the answer before it, if the list still begins as it did then. A host
 * that has not kept what it sent, or has sent the same list in different ways, leaves it unknown.
 */
function requestAt(log: HistoryLog, own: OwnEvents, index: number): Omit<AttributedAnswer, 'answer'> | undefined {
  let behind = index;
  while (behind > 0 && !isAnswer(log, behind - 1)) behind--;
  const made = own.requestsBehind(log.placeAt(behind));
  const last = made.at(-1);
  if (last === undefined || last.place.count > index) return undefined;
  const { count } = last.place;
  const key = keyOf(log.placeAt(count));
  const isKnown = made.every(({ place, sent }) => keyOf(place) !== key || sent === last.sent);
  return key === keyOf(last.place) && isKnown ? { count, sent: last.sent } : undefined;
}

/** The index of the first message of the newest answer. */
function startOfNewestAnswer(log: HistoryLog): number {
  let index = log.list.length;
  while (index > 0 && !isAnswer(log, index - 1)) index--;
  while (index > 0 && isAnswer(log, index - 1)) index--;
  return index;
}

function isAnswer(log: HistoryLog, index: number): boolean {
  return log.list.at(index)?.host.role === 'assistant';
}
