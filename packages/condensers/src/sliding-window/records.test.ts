import { createEvent, parseEvent } from '@palimpsest/events';
import type { Condensation, EventId } from '@palimpsest/events';
import { isCondensation, protectedEventIds, View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { pipelineCondenser } from '../pipeline/pipeline.js';
import { recentEventsCondenser } from '../recent-events/recent-events.js';
import { idsOf, readingSummarizer, Session, summaries, threeByOne } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';

describe('the record of a window', () => {
  test('names what was read, in order, also what is not in the view any more', async () => {
    const { session, inputs } = threeByOne();
    await session.run(3);
    const firstThree = idsOf(session.view, 1);
    await session.run(3);
    const raw = session.log.events.filter(({ type }) => ['message', 'action', 'observation'].includes(type));
    const firstSix = raw.map(({ id }) => id);
    await session.request();
    const [first, second] = session.made as [Condensation, Condensation];
    expect(first.metadata?.['coveredEventIds']).toEqual(firstThree);
    expect(second.metadata?.['coveredEventIds']).toEqual(firstSix.slice(8));
    expect(inputs[1]?.events.map(({ id }) => id)).toEqual(firstSix.slice(8));
    // The request of 1 is protected; 3 was forgotten by the first window.
    expect(first.forgottenEventIds).toEqual(firstThree.slice(1));
    expect(second.forgottenEventIds).toEqual(firstSix.slice(12));
  });

  test('says who, why, how much and for which request', async () => {
    const { session } = threeByOne();
    await session.run(3);
    const { tokens } = { tokens: session.view.tokens() };
    await session.request();
    const [made] = session.made as [Condensation];
    const live = session.view.events.at(-1)?.id;
    expect(made.metadata).toMatchObject({
      condenser: 'slidingWindow',
      reason: 'interval',
      tokensAfter: session.view.tokens(),
      model: 'reader',
      requestId: live,
      replaces: [],
    });
    expect(made.metadata?.['tokensBefore']).toBeGreaterThan(tokens);
  });

  test('works the same after JSON, in a view that was built anew', async () => {
    const { session } = threeByOne();
    await session.run(7);
    const stored = session.log.events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));
    const copy = threeByOne();
    const replayed = new Session(copy.condenser, { goesOn: session });
    expect(View.fromEvents(stored).toMessages()).toEqual(session.view.toMessages());
    await session.run(2);
    await session.request();
    await replayed.run(2);
    await replayed.request();
    expect(replayed.windows).toEqual(session.windows.slice(2));
    expect(replayed.windows).toEqual(['9: S(6-9)']);
  });

  test('the log is only ever added to', async () => {
    const { session } = threeByOne();
    await session.run(3);
    const before = JSON.stringify(session.log.events);
    await session.run(7);
    expect(JSON.stringify(session.log.events.slice(0, JSON.parse(before).length))).toBe(before);
  });
});

describe('ids, not times', () => {
  test('events of one moment, and of times out of order, go to the windows of their place in the log', async () => {
    const plain = new Session();
    await plain.run(3);
    const times = ['2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
    const scrambled = new Session();
    scrambled.log.add(
      ...plain.log.events.slice(1).map((event, index) => ({
        ...event,
        id: `scrambled-${index}`,
        timestamp: times[index % 3] as string,
      })),
    );
    scrambled.requests = 3;
    const { session } = threeByOne(scrambled);
    await session.request();
    expect(session.windows).toEqual(['3: S(1-3)']);
    expect(session.shown).toEqual(['system-prompt', 'request 1', 'S(1-3)', 'request 4']);
  });

  test('events that came while a window was summarised stay, and count as new', async () => {
    const plain = new Session();
    await plain.run(3);
    await plain.request();
    const made = await threeByOne().condenser.condense(plain.view, { report: () => {} });
    if (!isCondensation(made)) throw new Error('no window');
    await plain.step();
    plain.answer();
    await plain.request();
    plain.answer();
    // In the log it stands behind requests 4 and 5, which it knows nothing of.
    plain.add(made);
    expect(plain.shown).toEqual([
      'system-prompt',
      'request 1',
      'S(1-3)',
      'request 4',
      'action',
      'observation',
      'answer 4',
      'request 5',
      'answer 5',
    ]);
    const { session } = threeByOne(plain);
    await session.run(1);
    expect(session.windows).toEqual([]);
    await session.request();
    expect(session.windows).toEqual(['6: S(3-6)']);
  });
});

describe('reverts', () => {
  test('a reverted window is made again', async () => {
    const { session } = threeByOne();
    await session.run(4);
    session.log.revert(session.made[0] as Condensation);
    expect(summaries(session)).toEqual([]);
    await session.request();
    expect(session.windows).toEqual(['3: S(1-3)', '4: S(1-4)']);
  });

  test('a reverted window leaves what another one covers, and takes it along in the next', async () => {
    const { session } = threeByOne();
    await session.run(6);
    await session.request();
    session.answer();
    expect(summaries(session)).toEqual(['S(1-3)', 'S(3-6)']);
    session.log.revert(session.made[0] as Condensation);
    expect(summaries(session)).toEqual(['S(3-6)']);
    await session.request();
    // New are 1, 2, 3 and 7; what lies between is read again, and its summary is subsumed.
    expect(session.windows.at(-1)).toBe('7: S(1-7)');
    expect(summaries(session)).toEqual(['S(1-7)']);
  });

  test('a reverted window that had subsumed another brings that one back', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(slidingWindowCondenser({ compactionInterval: 3, overlapSize: 5, summarizer }));
    await session.run(6);
    await session.request();
    expect(summaries(session)).toEqual(['S(1-6)']);
    session.log.revert(session.made[1] as Condensation);
    expect(summaries(session)).toEqual(['S(1-3)']);
    expect(session.shown).toContain('request 5');
  });
});

describe('superfluous summaries', () => {
  test('of two windows with the same events the later stays, and only until the next window', async () => {
    const { session, condenser } = threeByOne();
    await session.run(3);
    session.log.user('request 4');
    session.requests = 4;
    // Two processes summarise at once.
    const both = await Promise.all([1, 2].map(async () => condenser.condense(session.view, { report: () => {} })));
    for (const made of both) if (isCondensation(made)) session.add(made);
    expect(summaries(session)).toEqual(['S(1-3)', 'S(1-3)']);
    session.answer();
    await session.run(2);
    await session.request();
    expect(summaries(session)).toEqual(['S(1-3)', 'S(3-6)']);
    expect(messageViolations(session.view.toMessages())).toEqual([]);
  });

  test('more than maxSummaries are rolled up into the next one', async () => {
    const { summarizer, inputs } = readingSummarizer((input) => ({
      text: `S(${input.previousSummary?.replaceAll(/\n+/g, '+') ?? ''}|${input.events.length})`,
    }));
    const session = new Session(
      slidingWindowCondenser({ compactionInterval: 1, overlapSize: 0, maxSummaries: 3, summarizer }),
    );
    await session.run(4);
    expect(summaries(session)).toEqual(['S(|4)', 'S(|4)', 'S(|4)']);
    await session.run(1);
    expect(summaries(session)).toEqual(['S(S(|4)+S(|4)+S(|4)|4)']);
    expect(inputs.at(-1)?.previousSummary).toBe('S(|4)\n\nS(|4)\n\nS(|4)');
    expect(session.made.at(-1)?.metadata?.['replaces']).toEqual(session.made.slice(0, 3).map(({ id }) => id));
    for (let request = 0; request < 20; request++) {
      await session.run(1);
      expect(summaries(session).length).toBeLessThanOrEqual(3);
    }
  });

  test('what a rolled-up summary covers is still read again by an overlap', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(
      slidingWindowCondenser({ compactionInterval: 2, overlapSize: 3, maxSummaries: 1, summarizer }),
    );
    await session.run(9);
    expect(session.windows).toEqual(['2: S(1-2)', '4: S(1-4)', '6: S(2-6)', '8: S(4-8)']);
    expect(summaries(session)).toEqual(['S(4-8)']);
  });
});

test('an overlap reaches through a summary to those that it replaced, and no further than it must', async () => {
  const plain = new Session();
  await plain.run(4);
  const raw = idsOf(plain.view, 1);
  const cover = (from: number, to: number, replaces: readonly string[] = []) =>
    plain.log.condensation([...replaces.map((id) => `${id}-summary`), ...raw.slice(Math.max(1, 4 * from), 4 * to)], {
      summary: `S(${from + 1}-${to})`,
      metadata: {
        condenser: 'slidingWindow',
        reason: 'tokens',
        coveredEventIds: raw.slice(4 * from, 4 * to),
        invocations: Array.from({ length: to - from }, (_, index) => ({ start: raw[4 * (from + index)], events: 4 })),
        replaces,
      },
    });
  const first = cover(0, 2);
  cover(2, 3, [first.id]);
  const { summarizer } = readingSummarizer();
  const condenser = slidingWindowCondenser({ compactionInterval: 1, overlapSize: 2, summarizer });
  const session = new Session(condenser, { goesOn: plain });
  await session.request();
  expect(session.windows).toEqual(['4: S(2-4)']);
  // Request 1 is in the first one alone.
  expect(summaries(session)).toEqual(['S(3-3)', 'S(2-4)']);
  // One that is reverted covers nothing any more.
  const reverted = new Session(condenser, { goesOn: plain });
  reverted.log.revert(first);
  await reverted.request();
  expect(reverted.windows).toEqual(['4: S(1-4)']);
});

test('an overlapping window reads what was logged; what was redacted stays redacted', async () => {
  const { session, inputs } = threeByOne();
  await session.run(2);
  await session.request();
  await session.step('the password is hunter2 '.repeat(10));
  const secret = session.view.events.at(-1)?.id as EventId;
  session.answer();
  session.add(
    createEvent('condensation', {
      forgottenEventIds: [],
      redactions: [{ eventId: secret, text: 'Response redacted: secret' }],
    }),
  );
  await session.run(3);
  await session.request();
  expect(session.windows).toEqual(['3: S(1-3)', '6: S(3-6)']);
  const read = inputs.map(({ events }) => events.find(({ id }) => id === secret));
  expect(read).toHaveLength(2);
  for (const event of read) {
    expect(JSON.stringify(event)).toContain('Response redacted: secret');
    expect(JSON.stringify(event)).not.toContain('hunter2');
  }
});

test('behind a condenser that hides events it speaks of the stored list', async () => {
  const { summarizer } = readingSummarizer();
  const session = new Session(
    pipelineCondenser([
      recentEventsCondenser({ keepFirst: 2, maxSize: 30 }),
      slidingWindowCondenser({ compactionInterval: 3, overlapSize: 1, summarizer }),
    ]),
  );
  await session.run(13);
  expect(session.made.length).toBeGreaterThan(2);
  expect(session.view.notes.length).toBe(0);
  expect(messageViolations(session.view.toMessages())).toEqual([]);
  expect(session.made[0]?.metadata).toMatchObject({ condenser: 'slidingWindow', stage: 'slidingWindow' });
  for (const id of protectedEventIds(session.view)) expect(session.view.indexOf(id)).toBeDefined();
});
