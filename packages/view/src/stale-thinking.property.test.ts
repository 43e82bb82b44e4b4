import { createEvent, isLLMConvertible, isMeaningful, isToolResult } from '@palimpsest/events';
import type { ContentPart, Event, EventId, Message, Thinking, ThinkingBlock } from '@palimpsest/events';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { View, ViewProjection, redactedCopy } from './index.js';
import type { Replacement } from './index.js';
import { carriesThinking } from './fold/stale-thinking.js';
import { writeCondensation } from './testing/clean-steps.js';
import { LogTally } from './testing/log-tally.js';
import { LogWriter } from './testing/log-writer.js';
import { seededRandom } from './testing/random.js';
import { sentParts, sentThinking } from './testing/sent-parts.js';
import { lacksUnknown } from './fold/unknown-kinds.js';
import { ThinkingSigner, modelCalls } from './testing/thinking-signer.js';

const seed = 20_261_123;
const tally = new LogTally();
const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 5, max: 80 }), dirty: fc.boolean() });
const forLogs = (
  numRuns: number,
  check: (events: readonly Event[]) => void,
  prepare?: (events: readonly Event[]) => readonly Event[],
) =>
  fc.assert(
    fc.property(logs, (options) => tally.check(options, check, prepare)),
    { seed, numRuns: fewer(numRuns) },
  );

afterAll(() => console.log(`fast-check seed ${seed}; ${tally.report()}`));

/** Walks through a log and shows the view before each event; a model was called where `isCall` says so. */
function replay(events: readonly Event[], visit: (event: Event, view: View, isCall: boolean) => void): View {
  const projection = new ViewProjection();
  const calls = new Set(modelCalls(events));
  for (const [position, event] of events.entries()) {
    if (projection.view.original(event.id) === undefined) visit(event, projection.view, calls.has(position));
    projection.append(event);
  }
  return projection.view;
}

/** True for an event that may change what was sent already. */
function decides(event: Event, view: View): boolean {
  if (event.type !== 'system-prompt') return event.type === 'condensation' || event.type === 'condensation-revert';
  const inForce = [...view.events].findLast(({ type }) => type === 'system-prompt');
  return inForce?.type !== 'system-prompt' || inForce.systemPrompt !== event.systemPrompt;
}

/**
 * True for a decision about a message of nothing but thinking. The canonical form has no part for it, but adapters send words
 * in its place, so the view is right to take what follows it for edited.
 */
function movesBareThinking(event: Event, view: View): boolean {
  const decision = event.type === 'condensation-revert' ? view.original(event.condensationId) : event;
  if (decision?.type !== 'condensation') return false;
  return decision.forgottenEventIds.some((id) => {
    const forgotten = view.original(id);
    return (
      forgotten?.type === 'message' && forgotten.thinkingBlocks !== undefined && !forgotten.content.some(isMeaningful)
    );
  });
}

test('what one model call is sent begins with what the last one was sent, unless something was decided between', () => {
  forLogs(400, (events) => {
    let last: readonly unknown[] = [];
    let isDecided = false;
    replay(events, (event, view, isCall) => {
      isDecided ||= decides(event, view);
      if (!isCall) return;
      const parts = sentParts(view.toMessages());
      if (!isDecided) expect(parts.slice(0, last.length)).toEqual(last);
      last = parts;
      isDecided = false;
    });
  });
});

test('prefix-bound: no thinking is sent that does not verify, and none is left out that would', () => {
  forLogs(400, (events) => {
    const signer = new ThinkingSigner();
    const excused = new Set<unknown>();
    let decisions = 0;
    let isMadeOfLess = false;
    let isOfNewer = false;
    const verify = (view: View): void => {
      const request = view.toMessages({ thinking: 'prefix-bound' });
      expect(signer.refused(request)).toEqual([]);
      const inVain = signer.leftOutInVain(request, view.toMessages({ thinking: 'latest-turn' }));
      // Two decisions with no call between can undo each other, and a batch that a call lacked can be forgotten.
      if (decisions <= 1) expect(inVain.filter((block) => !excused.has(block))).toEqual([]);
      decisions = 0;
    };
    const last = replay(events, (event, view, isCall) => {
      if (decides(event, view)) decisions += movesBareThinking(event, view) ? 2 : 1;
      if (isCall) verify(view);
      if (event.type !== 'action' && event.type !== 'message') return;
      const isWaiting = [...view.leftOut.values()].some((reason) => reason.startsWith('waits'));
      if (isCall) isMadeOfLess = isWaiting;
      // Whether a newer version made it of what this one leaves out, the log does not say.
      isOfNewer ||= lacksUnknown(event) || [...view.events].some(lacksUnknown);
      // Words of a response behind its own call that waits are sent behind the call's result, if they are sent with it at all.
      const isMisplaced = event.type === 'message' && !isCall;
      if (isMadeOfLess || isOfNewer || isMisplaced) for (const block of event.thinkingBlocks ?? []) excused.add(block);
      if (carriesThinking(event)) signer.sign(event, view.toMessages({ thinking: 'prefix-bound' }));
    });
    verify(last);
  });
});

test('prefix-bound: what a newer version was sent with kinds that this one does not know does verify without them', () => {
  let left = 0;
  forLogs(400, (events) => {
    const signer = new ThinkingSigner();
    const newer = new ViewProjection();
    const ours = new ViewProjection();
    const calls = new Set(modelCalls(events));
    for (const [position, event] of events.entries()) {
      const request = newer.view.toMessages();
      const isFirst = newer.view.original(event.id) === undefined;
      if (calls.has(position)) expect(signer.refused(ours.view.toMessages())).toEqual([]);
      const known = asNewerVersionKnows(event);
      if (isFirst && (known.type === 'message' || known.type === 'action') && carriesThinking(known)) {
        signer.sign(known, request);
      }
      newer.append(known);
      ours.append(event);
    }
    expect(signer.refused(ours.view.toMessages())).toEqual([]);
    if (events.some((event) => isLLMConvertible(event) && lacksUnknown(event))) left++;
  });
  expect(left).toBeGreaterThan(fewer(10));
});

/** The event as the version reads it that wrote it: with its own kinds, which it sends. */
function asNewerVersionKnows(event: Event): Event {
  const parts = (content: readonly ContentPart[]): readonly ContentPart[] =>
    content.map((part) =>
      part.type === 'text' || part.type === 'image' ? part : { type: 'text', text: JSON.stringify(part) },
    );
  switch (event.type) {
    case 'observation':
      return { ...event, content: parts(event.content) };
    case 'action':
      return { ...event, thought: parts(event.thought), ...blocks(event) };
    case 'message': {
      const role = event.role === 'assistant' ? 'assistant' : 'user';
      return { ...event, role, content: parts(event.content), ...blocks(event) };
    }
    default:
      return event;
  }
}

const translated = new WeakMap<ThinkingBlock, ThinkingBlock>();

function blocks({ thinkingBlocks }: Thinking): Pick<Thinking, 'thinkingBlocks'> {
  if (thinkingBlocks === undefined) return {};
  const known = (block: ThinkingBlock): ThinkingBlock => {
    if (block.type === 'thinking' || block.type === 'redacted-thinking') return block;
    const copy = translated.get(block) ?? { type: 'redacted-thinking', data: JSON.stringify(block) };
    translated.set(block, copy);
    return copy;
  };
  return { thinkingBlocks: thinkingBlocks.map(known) };
}

test('prefix-bound: thinking verifies behind copies that stand in a view since a directive in the log', () => {
  const withDirectives = (events: readonly Event[]): readonly Event[] => {
    const random = seededRandom(events.length);
    return events.flatMap((event, index) => {
      if (!random.chance(0.15)) return [event];
      const target = events[random.below(index + 1)]?.id;
      return [event, createEvent('acme/directive', { source: 'environment', id: `directive-${index}`, target })];
    });
  };
  forLogs(
    250,
    (events) => {
      const signer = new ThinkingSigner();
      const changes = new Map<EventId, Replacement>();
      const last = replay(events, (event, stored, isCall) => {
        const view = stored.replace(changes);
        if (isCall) expect(signer.refused(view.toMessages())).toEqual([]);
        if ((event.type === 'action' || event.type === 'message') && carriesThinking(event)) {
          signer.sign(event, view.toMessages());
        }
        const target = event.type === 'acme/directive' ? stored.original(String(event['target'])) : undefined;
        if (target === undefined || changes.has(target.id) || !(target.type === 'action' || isToolResult(target)))
          return;
        const copy = redactedCopy(target, { text: 'redacted', arguments: '{"redacted":true}' });
        if (copy !== undefined) changes.set(target.id, { event: copy, effectiveFrom: event.id });
      });
      expect(signer.refused(last.replace(changes).toMessages())).toEqual([]);
    },
    withDirectives,
  );
});

test('prefix-bound: a view without some events sends the thinking before the first part that is gone, and no other', () => {
  let [sent, leftOut] = [0, 0];
  forLogs(1_000, (events) => {
    const view = View.fromEvents(events);
    const random = seededRandom(events.length);
    const ids = [...view.events].map(({ id }) => id);
    const start = random.below(ids.length + 1);
    const some = [...view.events].filter(({ type }) => random.chance(type === 'system-prompt' ? 0.5 : 0.1));
    // Neighbours, as a window hides them, or any.
    const gone = random.chance(0.5) ? ids.slice(start, start + random.below(20)) : some.map(({ id }) => id);
    const before = view.toMessages();
    const derived = view.without(new Set(gone));
    const after = derived.toMessages();
    const first = firstDifference(sentParts(before), sentParts(after));
    const thinking = sentThinking(after);
    expect(thinking.filter(({ partsBefore }) => partsBefore > first)).toEqual([]);
    const kept = new Set(thinking.map(({ block }) => block));
    for (const { block, partsBefore } of sentThinking(before)) {
      if (partsBefore < first) expect(kept).toContain(block);
    }
    sent += kept.size;
    leftOut += sentThinking(derived.toMessages({ thinking: 'latest-turn' })).length - kept.size;
  });
  expect(sent).toBeGreaterThan(fewer(500));
  expect(leftOut).toBeGreaterThan(fewer(300));
});

function firstDifference(a: readonly unknown[], b: readonly unknown[]): number {
  let first = 0;
  while (first < a.length && first < b.length && JSON.stringify(a[first]) === JSON.stringify(b[first])) first++;
  return first;
}

test('latest-turn: a turn whose response thought begins with its thinking, whatever is cut before', () => {
  let condensations = 0;
  fc.assert(
    fc.property(fc.nat(1_000_000), (run) => {
      condensations += agentWithManualThinking(run);
    }),
    { seed, numRuns: fewer(60) },
  );
  console.log(`latest-turn: ${condensations} condensations in 60 sessions`);
  expect(condensations).toBeGreaterThan(fewer(50));
});

/**
 * An agent whose model thinks at the start of each turn, and whose condenser acts once in a turn. A second edit in one turn
 * finds the thinking of the turn stale, which holds no loop together.
 */
function agentWithManualThinking(run: number): number {
  const random = seededRandom(run);
  const log = new LogWriter(random, 'e');
  log.add(log.create('system-prompt', { systemPrompt: log.text() }));
  log.words('user');
  let isEdited = false;
  for (let step = 0; step < 30; step++) {
    const request = View.fromEvents(log.events, { thinking: 'latest-turn' }).toMessages();
    expect(startsWithoutThinking(request)).toBe(false);
    const isNewTurn = request.at(-1)?.role === 'user';
    isEdited &&= !isNewTurn;
    log.startResponse();
    if (random.chance(0.1)) {
      log.assistantWords({ thinking: isNewTurn ? 1 : 0 });
      log.words('user');
      continue;
    }
    const calls = [
      log.action({ thinking: isNewTurn ? 1 : 0 }),
      ...(random.chance(0.4) ? [log.action({ thinking: 0 })] : []),
    ];
    for (const call of calls) log.answer(call);
    if (random.chance(0.1)) log.words('environment');
    const { length } = log;
    if (!isEdited && random.chance(0.25)) writeCondensation(log);
    isEdited ||= log.length > length;
  }
  return log.counts.condensation;
}

/** Reports what a provider of manual thinking refuses: a turn with calls that does not begin with thinking (rule A16). */
function startsWithoutThinking(messages: readonly Message[]): boolean {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const [first] = turn;
  return first?.role === 'assistant' && turn.some(({ role }) => role === 'tool') && first.thinkingBlocks === undefined;
}
