import { fileURLToPath } from 'node:url';
import { condenserByName } from '@palimpsest/condensers/config';
import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { readSessions } from '../import/index.js';
import { priceRows } from '../measure/money.js';
import { recordedSession } from '../measure/recorded-session.js';
import { textCounter } from '../measure/tokens.js';
import { stubSummarizer } from './models.js';
import { condensedCalls } from './replay-session.js';
import { sessionReplayer } from './session-replayer.js';

const path = 'src/tokens/readToken.ts';

/** A listing names a file; other calls follow, each with a long result; then the model opens that file. */
function log(): readonly Event[] {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.call('list', {}, `${path} ${'and some more text '.repeat(50)}`);
  for (let step = 0; step < 12; step++) built.call('think', { step }, `a result of some length ${step} `.repeat(60));
  built.call('read', { path }, 'text');
  return built.events;
}

const replayed = (condenser: Condenser, events = log()) =>
  sessionReplayer(events, { prices: priceRows }).replay({ name: condenser.name, create: () => condenser });

const everything: Condenser = { name: 'everything', condense: (view) => view };

/** Hides every result before the request that would have shown it. */
const neverShows: Condenser = {
  name: 'never shows',
  condense: (view) => {
    const newest = view.events.at(view.events.length - 1);
    return newest?.type === 'observation' && newest.redacted !== true
      ? createEvent('condensation', { forgottenEventIds: [], redactions: [{ eventId: newest.id, text: '(hidden)' }] })
      : view;
  },
};

test('who hides results before they were sent looks cheap, and is shown to have hidden what nobody read', async () => {
  const [all, cheat] = [await replayed(everything), await replayed(neverShows)];
  expect(cheat.bills[0]?.input).toBeLessThan((all.bills[0]?.input ?? 0) * 0.7);
  expect(all.neverShown).toBe(0);
  expect(cheat.neverShown).toBe(13);
  expect(cheat.memory.all.part).toBe(0);
  expect(cheat.faults).toBe(1);
});

test('who masks what was sent is not taken for one that hides it', async () => {
  const masking = condenserByName('observationMasking');
  expect((await replayed(masking)).neverShown).toBe(0);
});

test('who keeps everything gains nothing', async () => {
  const all = await replayed(everything);
  expect(all.memory.all).toEqual({ part: 1, whole: 1 });
  expect(all).toMatchObject({ faults: 0, prefixRewrites: 0, condensations: 0 });
});

/** The events until a call as they are, and with garbage in place of every text that comes after it. */
function poisoned(events: readonly Event[], call: number): readonly Event[] {
  const { events: kept, calls } = recordedSession(events);
  const garbage = (at: number) => [{ type: 'text' as const, text: `garbage ${at} `.repeat(at % 7) }];
  return kept.map((event, at): Event => {
    if (at < (calls[call] ?? 0)) return event;
    if (event.type === 'action') return { ...event, toolCall: { ...event.toolCall, arguments: `{"garbage":${at}}` } };
    return event.type === 'observation' || event.type === 'message' ? { ...event, content: garbage(at) } : event;
  });
}

/** What a policy sends at each call, until one. */
async function sent(create: () => Condenser, events: readonly Event[], until: number): Promise<readonly string[]> {
  const requests: string[] = [];
  for await (const { view, index } of condensedCalls(recordedSession(events), create())) {
    if (index > until) break;
    requests.push(JSON.stringify(view.toMessages()));
  }
  return requests;
}

/** True if a policy sends the same whatever comes after a call. */
async function isCausal(create: () => Condenser, events: readonly Event[], call: number): Promise<boolean> {
  const withGarbage = await sent(create, poisoned(events, call), call);
  const withFuture = await sent(create, events, call);
  return withGarbage.length === call + 1 && withGarbage.every((request, index) => request === withFuture[index]);
}

/** Remembers the sessions that it saw, and keeps of the next one what it knows to be needed. */
function clairvoyant(): () => Condenser {
  const needed = new Set<string>();
  return () => ({
    name: 'clairvoyant',
    condense: (view) => {
      for (const event of view.events) if (event.type === 'action') needed.add(event.toolCall.arguments);
      const unneeded = [...view.events].find(
        (event) =>
          event.type === 'observation' &&
          event.redacted !== true &&
          event.content.every(
            (part) => part.type !== 'text' || ![...needed].some((text) => text.includes(part.text.split(' ')[0] ?? '')),
          ),
      );
      return unneeded === undefined || needed.size < 10
        ? view
        : createEvent('condensation', {
            forgottenEventIds: [],
            redactions: [{ eventId: unneeded.id, text: '(hidden)' }],
          });
    },
  });
}

test('a policy that knows the future sends something else when the future is another one', async () => {
  expect(await isCausal(clairvoyant(), log(), 11)).toBe(false);
  expect(await isCausal(() => everything, log(), 11)).toBe(true);
});

test.each([
  'recentEvents',
  'observationMasking',
  'amortizedForgetting',
  'extractiveSummary',
  'llmSummarizing',
  'pipeline',
])('what %s sends does not depend on the future', async (name) => {
  const corpus = fileURLToPath(new URL('../../../../corpus/demo-default.jsonl', import.meta.url));
  for await (const { events } of readSessions(corpus)) {
    const create = () => condenserByName(name, { llm: stubSummarizer(textCounter()).llm });
    for (const call of [20, 45, 70]) expect(await isCausal(create, events, call), `call ${call}`).toBe(true);
  }
});

test('the garbage does reach the condenser, after the call', async () => {
  const seen: boolean[] = [];
  const watching: Condenser = {
    name: 'watching',
    condense: (view) => {
      seen.push(JSON.stringify(view.toMessages()).includes('garbage'));
      return view;
    },
  };
  await replayed(watching, poisoned(log(), 5));
  expect(seen.slice(0, 6)).not.toContain(true);
  expect(seen.slice(6).length).toBeGreaterThan(5);
  expect(seen.slice(6)).not.toContain(false);
});
