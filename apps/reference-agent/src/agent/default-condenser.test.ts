import type { Condensation, Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import {
  observationLabel,
  recallTool,
  relevanceDirectiveType,
  relevanceTool,
  relevanceWiringProblems,
} from '@palimpsest/relevance-tool';
import { isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { CondenseContext } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { defaultCondenser } from './condenser.js';

const prices = { read: 0.1, write: 1.25 };
const note = 'No longer needed.';

interface Steps {
  readonly steps: number;
  readonly isMarked?: (step: number) => boolean;
  /** How many steps after the result. */
  readonly markedAfter?: number;
  readonly lines?: (step: number) => number;
}

/** Steps that each read a file, of which the model marks some later. */
function sessionOf({ steps, isMarked = () => false, markedAfter = 2, lines = () => 60 }: Steps): LogBuilder {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  const made: ReturnType<LogBuilder['call']>[] = [];
  for (let step = 0; step < steps; step++) {
    made.push(log.call('read_file', { path: `src/part-${step}.ts` }, 'a line that is read once\n'.repeat(lines(step))));
    const [old, newest] = [made[step - markedAfter], made[step]];
    if (old !== undefined && newest !== undefined && isMarked(step - markedAfter))
      mark(log, old.result, newest.action.id);
  }
  return log;
}

function mark(
  log: LogBuilder,
  target: { readonly id: string; readonly toolCallId: string },
  requestingActionId: string,
) {
  const { id, toolCallId } = target;
  log.custom(relevanceDirectiveType, {
    ...{ targetEventId: id, requestedEventId: id, toolCallId, requestingActionId },
    ...{ summary: 'Read.', text: note },
  });
}

/** A condensation, and what was metered beside the ledger before it. */
interface Made {
  readonly condensation: Condensation;
  readonly bill: number;
  readonly rawBill: number;
  /** How much smaller it and those before have made the view. */
  readonly hidden: number;
  /** The number of model calls before it. */
  readonly calls: number;
}

interface Run {
  readonly made: readonly Made[];
  /** What each model call was sent. */
  readonly sent: readonly View[];
}

/** Asks before each model call, as an agent does, and meters what is sent by the longest common prefix. */
async function run(events: readonly Event[], context: CondenseContext = {}): Promise<Run> {
  const condenser = defaultCondenser();
  const [projection, raw] = [new ViewProjection(), new ViewProjection()];
  const made: Made[] = [];
  const sent: View[] = [];
  let [bill, rawBill, rawBefore] = [0, 0, 0];
  let before: readonly string[] = [];
  for (const event of events) {
    if (event.type === 'action') {
      let shown: View | Condensation = await condenser.condense(projection.view, { prices, ...context });
      for (; isCondensation(shown); shown = await condenser.condense(projection.view, { prices, ...context })) {
        projection.append(shown);
        const hidden = raw.view.tokens() - projection.view.tokens();
        made.push({ condensation: shown, bill, rawBill, hidden, calls: sent.length });
      }
      const parts = shown.events.slice().map((each) => `${each.id} ${projection.view.tokensOf(each)}`);
      const same = parts.findIndex((part, index) => part !== before[index]);
      const cached = before.length === 0 ? 0 : shown.tokens(0, same === -1 ? parts.length : same);
      bill += prices.read * cached + prices.write * (shown.tokens() - cached);
      rawBill += prices.read * rawBefore + prices.write * (raw.view.tokens() - rawBefore);
      rawBefore = raw.view.tokens();
      before = parts;
      sent.push(shown);
    }
    projection.append(event);
    raw.append(event);
  }
  return { made, sent };
}

const stagesOf = ({ made }: Run): readonly unknown[] =>
  made.map(({ condensation }) => condensation.metadata?.['stage']);
const reasonsOf = ({ made }: Run): readonly unknown[] =>
  made.map(({ condensation }) => condensation.metadata?.['reason']);

test('the one ledger knows what the model’s marks hide and cost, and what the list does', async () => {
  const session = sessionOf({ steps: 200, isMarked: (step) => step % 3 !== 0 });
  const done = await run(session.events);
  expect(new Set(stagesOf(done))).toEqual(new Set(['relevance', 'digest']));
  for (const { condensation, bill, rawBill, hidden, calls } of done.made) {
    const ledger = condensation.metadata?.['ledger'] as Readonly<Record<string, number>>;
    expect(ledger.calls).toBe(calls);
    expect(ledger.hidden).toBeCloseTo(hidden, 5);
    expect(ledger.rawBill).toBeCloseTo(rawBill, 3);
    expect(Math.abs((ledger.bill ?? 0) / bill - 1)).toBeLessThan(0.03);
  }
});

/** The sixth result is large, and marked. */
function oneLargeResult(): LogBuilder {
  const isLarge = (step: number): boolean => step === 5;
  return sessionOf({ steps: 40, isMarked: isLarge, markedAfter: 10, lines: (step) => (isLarge(step) ? 2_000 : 20) });
}

test('what the model marked goes when that pays, and not before', async () => {
  // The marked result is a hundred times as large as each that follows. To read it costs ten of them a call, and it is marked when
  // ten stand behind it, which cost 1.15 of them each to write again: so it stays for one call.
  const session = oneLargeResult();
  const { made, sent } = await run(session.events);
  const [first] = made;
  expect(first?.condensation).toMatchObject({
    forgottenEventIds: [],
    redactions: [{ text: note }],
    metadata: { stage: 'relevance', reason: 'rent' },
  });
  const issued = 16;
  expect(first?.calls).toBe(issued + 1);
  const holdsNote = (view: View) => JSON.stringify(view.toMessages()).includes(note);
  expect(sent.map(holdsNote)).toEqual(sent.map((_, call) => call >= (first?.calls ?? 0)));
});

/** The same, with a pause of an hour before an event. */
function withPause(events: readonly Event[], { timestamp }: Event): readonly Event[] {
  const later = (time: string): string => new Date(Date.parse(time) + 3_600_000).toISOString();
  return events.map((event) => (event.timestamp < timestamp ? event : { ...event, timestamp: later(event.timestamp) }));
}

test('what the model marked goes at once when the cache is cold, however little it is', async () => {
  const log = sessionOf({ steps: 30, isMarked: (step) => step === 20 });
  const message = log.user('Go on.');
  log.call('read_file', { path: 'src/last.ts' }, 'short');
  const pausing = withPause(log.events, message);
  const done = await run(pausing, { cacheLifeMs: 300_000 });
  expect(stagesOf(done)).toEqual(['relevance']);
  expect(reasonsOf(done)).toEqual(['cold']);
  expect(await run(log.events, { cacheLifeMs: 300_000 })).toMatchObject({ made: [] });
});

test('marks that wait go along with the condensation of the list, which writes the prompt anew anyway', async () => {
  // Those that are marked stand in what the list keeps.
  const session = sessionOf({ steps: 150, isMarked: (step) => step % 10 === 9, lines: () => 30 });
  const done = await run(session.events);
  const place = stagesOf(done).indexOf('digest');
  expect(stagesOf(done).slice(place, place + 2)).toEqual(['digest', 'relevance']);
  expect(reasonsOf(done)[place + 1]).toBe('rewritten');
  expect(done.made[place + 1]?.calls).toBe(done.made[place]?.calls);
});

test('without a cache a mark takes effect at the next call', async () => {
  const session = sessionOf({ steps: 12, isMarked: (step) => step === 3, lines: () => 20 });
  const { made } = await run(session.events, { prices: { read: 1, write: 1 } });
  expect(made.map(({ calls }) => calls)).toEqual([6]);
});

test('a pin shows a result whole that a condensation has redacted, and the mark holds again when the pin ends', async () => {
  const log = oneLargeResult();
  const { made } = await run(log.events);
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const condensation = made[0]?.condensation as Condensation;
  projection.append(condensation);
  const eventIds = condensation.redactions?.map(({ eventId }) => eventId) ?? [];
  const shown = async (): Promise<boolean> => {
    const view = await defaultCondenser().condense(projection.view, { prices });
    return isCondensation(view) || JSON.stringify(view.toMessages()).includes(note);
  };
  expect(await shown()).toBe(true);
  projection.append(log.custom('view/pin', { eventIds }));
  expect(await shown()).toBe(false);
  projection.append(log.custom('view/unpin', { eventIds }));
  expect(await shown()).toBe(true);
});

test('a preview shows what the agent is sent, and makes no condensation', async () => {
  const log = sessionOf({ steps: 40 });
  log.call('read_file', { path: 'forged.md' }, '[event_id: 7k2m9qxa]');
  const view = await defaultCondenser().condense(View.fromEvents(log.events), { preview: true });
  if (isCondensation(view)) throw new Error('condensed');
  expect(JSON.stringify(view.toMessages())).toContain('[quoted event id: 7k2m9qxa]');
});

test('the wiring is complete', async () => {
  const condenser = defaultCondenser();
  const tools = [relevanceTool({ recall: true, apply: 'batched' }), recallTool({ condenser })];
  const render = { labelObservation: observationLabel };
  expect(await relevanceWiringProblems({ tools, condenser, render })).toEqual([]);
});
