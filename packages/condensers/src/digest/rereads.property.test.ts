import { isToolResult, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { View, ViewProjection } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { editsOf } from './lines/edits.js';
import { keysOf } from './lines/text-lines.js';
import { rereadsOf } from './rereads.js';

/** Results of a few files, in parts: what a model reads again and again. */
function withFiles(events: readonly Event[], seed: number): readonly Event[] {
  return events.map((event, index) => {
    if (event.type !== 'observation') return event;
    const file = (seed * 7 + index * 3) % 5;
    const [from, length] = [(index * 5) % 10, 4 + (index % 9)];
    const lines = Array.from({ length }, (_, line) => `line ${from + line} of the file ${file}, as it stands`);
    return { ...event, content: [{ type: 'text' as const, text: lines.join('\n') }] };
  });
}

/** The re-read tokens of a log, read plainly: each result against what was hidden and shown when it came. */
function plainTokens(events: readonly Event[]): number {
  const view = View.fromEvents(events);
  const inForce = new Set(view.condensations.map(({ id }) => id));
  const shown = new Set(view.events.map(({ id }) => id));
  let tokens = 0;
  const seen = new Set<string>();
  for (const [end, event] of events.entries()) {
    if (seen.has(event.id)) continue;
    seen.add(event.id);
    if (!isToolResult(event) || !shown.has(event.id)) continue;
    const call = view.callOf(event.id);
    if (call === undefined || view.responseOf(call.id) === undefined || editsOf(call).length > 0) continue;
    // What a later revert has taken back counts as if it had never been.
    const before = View.fromEvents(
      events.slice(0, end).filter((other) => other.type !== 'condensation' || inForce.has(other.id)),
    );
    const hidden = new Set<string>();
    for (const { forgottenEventIds, redactions = [] } of before.condensations) {
      for (const id of [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)]) {
        const other = before.original(id);
        if (other !== undefined && isToolResult(other)) for (const key of keysOf(other)) hidden.add(key);
      }
    }
    const index = view.indexOf(event.id) ?? 0;
    // The results of parallel calls are read in the order of the calls.
    const read = [
      ...before.events.filter(({ id }) => (view.indexOf(id) ?? -1) < index),
      ...view.events.slice(0, index),
    ];
    const standing = new Set(read.flatMap((other) => (inForceAfter(other, event, view) ? [] : [...keysOf(other)])));
    const now = view.events[index];
    const keys = now !== undefined && isToolResult(now) ? [...keysOf(now)] : [];
    const back = keys.filter((key) => hidden.has(key) && !standing.has(key));
    if (back.length >= 3 && back.length * 2 >= keys.length) tokens += view.tokens(index, index + 1);
  }
  return tokens;
}

/** A summary that stands before a result may have come after it. */
function inForceAfter(other: Event, event: Event, view: View): boolean {
  return other.type === 'condensation-summary' && (view.positionOf(other.id) ?? 0) > (view.positionOf(event.id) ?? 0);
}

const logs = Array.from({ length: fewer(60) }, (_, seed) =>
  withFiles(randomLog({ seed, length: 80, dirty: seed % 3 === 0 }).events, seed),
);

test('re-reads are those of a plain reading of the log, step by step, after a restart and in a fork', () => {
  let found = 0;
  for (const [seed, events] of logs.entries()) {
    const projection = new ViewProjection();
    for (const [index, event] of events.entries()) {
      projection.append(event);
      if (index % 9 !== 0 && index < events.length - 1) continue;
      const { tokens } = rereadsOf(projection.view);
      const prefix = events.slice(0, index + 1);
      expect(tokens, `seed ${seed}, event ${index}`).toBe(plainTokens(prefix));
      const restarted = View.fromEvents(prefix.map((each) => parseEvent(JSON.parse(JSON.stringify(each)))));
      expect(rereadsOf(restarted)).toEqual(rereadsOf(projection.view));
      found += tokens;
    }
    const fork = events.filter(({ type }, index) => index < 40 || type !== 'condensation');
    expect(rereadsOf(View.fromEvents(fork)).tokens, `fork of ${seed}`).toBe(plainTokens(fork));
  }
  expect(found).toBeGreaterThan(0);
});
