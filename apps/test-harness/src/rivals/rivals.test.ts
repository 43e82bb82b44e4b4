import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condenseUntilSettled, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { condenserContract } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { textCounter } from '../measure/tokens.js';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import { rivals } from './index.js';
import { rivalNames } from './rival.js';

const count = textCounter();

/** Of the contract's generated logs. `npm test` takes one, CI's thorough run three. */
const seeds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? [1, 2, 3] : [3];

/** Requests of the user with so many steps each, whose results have so many characters. */
function session(requests: number, steps: number, characters: number) {
  const log = logBuilder();
  log.system();
  for (let request = 1; request <= requests; request++) {
    log.user(`Request ${request}.`);
    for (let step = 1; step <= steps; step++)
      log.call('read', { path: `${request}/${step}.ts` }, 'x y '.repeat(characters / 4));
    log.agent('Done.');
  }
  // Some act when a request has been answered and the next one comes.
  log.user('The last request.');
  return log.events;
}

/** More than 120 events, 40 messages, three requests, 100,000 tokens and the window; results are older than two requests. */
const large = session(12, 9, 4_800);
const windowOfContract = 110_000;

test('each has its description', () => {
  expect(rivals.map(({ name }) => name)).toEqual(rivalNames);
});

describe.each(rivals)('$name', ({ create }) => {
  condenserContract({
    test,
    seeds,
    create: () => create(stubSummarizer(count).llm),
    actsOn: large,
    context: { contextWindow: windowOfContract },
  });
});

/** What a rival leaves of a session, call by call: the events, the results that were cleared, and when it acted. */
async function replayed(name: string, events: readonly Event[]) {
  const condenser = rivals.find((rival) => rival.name === name)?.create(stubSummarizer(count).llm) as Condenser;
  const projection = new ViewProjection();
  const acted: { readonly before: number; readonly after: number; readonly shown: number; readonly tokens: number }[] =
    [];
  for (const event of events) {
    const before = projection.view.events.length;
    const tokens = projection.view.tokens();
    const view = await condenseUntilSettled(condenser, projection, { contextWindow: 200_000 });
    const condensed = projection.view.condensations.length > acted.length;
    if (condensed) acted.push({ before, after: view.events.length, shown: shownResults(view), tokens });
    projection.append(event);
  }
  return acted;
}

function shownResults(view: View): number {
  return [...view.events].filter((event) => event.type === 'observation' && event.redacted !== true).length;
}

describe('the numbers that they are known by', () => {
  test('openhands: more than 120 events become 60', async () => {
    const [first] = await replayed('rival:openhands', session(1, 80, 400));
    expect(first).toMatchObject({ before: 121 });
    expect(first?.after).toBeGreaterThanOrEqual(59);
    expect(first?.after).toBeLessThanOrEqual(62);
  });

  test.each(['rival:anthropic-clear-tool-uses', 'rival:langchain-clear-tool-uses'])(
    '%s: from 100,000 tokens on the newest 3 results',
    async (name) => {
      const acted = await replayed(name, session(1, 70, 8_000));
      expect(acted[0]?.tokens).toBeGreaterThan(100_000);
      expect(acted[0]?.tokens).toBeLessThan(103_000);
      expect(acted[0]?.shown).toBe(3);
      // The server is sent the whole history each time, so it clears each further result; the middleware waits for 100,000 tokens.
      if (name.includes('anthropic')) expect(acted.length).toBeGreaterThan(10);
      else expect(acted.every(({ tokens }) => tokens > 100_000)).toBe(true);
    },
  );

  test('opencode: 40,000 tokens of results stay, and those of the last two requests', async () => {
    const events = session(8, 9, 8_000);
    const sizeOfResult = View.fromEvents(events).tokens(3, 4);
    const [first] = await replayed('rival:opencode', events);
    expect(first?.shown).toBe(2 * 9 + Math.floor(40_000 / sizeOfResult));
  });

  test('strands: 40 messages after a request; a full window is summarised by 30 %', async () => {
    const [first] = await replayed('rival:strands-sliding-window', session(3, 30, 400));
    expect(first?.before).toBeGreaterThan(60);
    expect(first?.after).toBeGreaterThanOrEqual(40);
    expect(first?.after).toBeLessThanOrEqual(44);
    const [summary] = await replayed('rival:strands-summarizing', session(1, 120, 8_000));
    expect(summary?.tokens).toBeGreaterThan(200_000);
    const { before = 0, after = 0 } = summary ?? {};
    expect((before - after) / before).toBeGreaterThan(0.27);
    expect((before - after) / before).toBeLessThan(0.31);
  });

  test('langchain’s summary: at 80 % of the window all but the newest 20 messages', async () => {
    const [first] = await replayed('rival:langchain-summarization', session(1, 100, 8_000));
    expect(first?.tokens).toBeGreaterThanOrEqual(160_000);
    expect(first?.after).toBeGreaterThanOrEqual(20);
    expect(first?.after).toBeLessThanOrEqual(24);
  });
});
