import { fileURLToPath } from 'node:url';
import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { condenseUntilSettled, isCondensation, ViewProjection } from '@palimpsest/view';
import type { RenderOptions, View } from '@palimpsest/view';
import { messagesOfItems } from '@palimpsest/view/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { extent, recordedSessions } from '../test-support/recorded-sessions.js';
import { tight } from '../test-support/tight-condensers.js';
import type { Tight } from '../test-support/tight-condensers.js';
import { readSessions } from './import/index.js';
import type { Session } from './import/index.js';
import { findRefusals } from './measure/refusals.js';
import { modelCalls } from './import/log/model-calls.js';

/** At every so many model calls somebody asks for a condensation, and the messages are checked in the words of both providers. */
const requestEvery = 17;
const checkEvery = 9;

/** Messages with labels, as hosts of the relevance tool render them. Other options would give up what is remembered. */
const render: RenderOptions = { labelObservation: ({ id }) => `[${id.slice(-4)}]` };

interface Outcome {
  readonly steps: number;
  readonly condensations: number;
}

/** Replays one session and throws at the first thing that may not happen. */
async function replay(events: readonly Event[], { create, bound }: Tight, where: string): Promise<Outcome> {
  const condenser = create();
  const projection = new ViewProjection();
  let number = 0;
  const createEvent = eventFactory({ newId: () => `tight-${++number}`, now: () => new Date(0) });
  let [folded, condensations] = [0, 0];
  /** The log of a host, in which each condensation that forgets something makes the view smaller. */
  const host = {
    get view() {
      return projection.view;
    },
    append(event: Event) {
      const before = projection.view.tokens();
      projection.append(event);
      if (!isCondensation(event) || event.metadata?.['reason'] === 'nothing-to-forget') return;
      condensations++;
      const grown = projection.view.tokens() - before;
      expect(grown, `${where}: a condensation made the view larger`).toBeLessThan(0);
    },
  };
  const calls = modelCalls(events);
  for (const [step, end] of calls.entries()) {
    for (; folded < end; folded++) {
      const event = events[folded] as Event;
      if (event.type.startsWith('condensation')) continue;
      projection.append(event);
    }
    if (step % requestEvery === requestEvery - 1 && condenser.handlesCondensationRequests === true) {
      projection.append(createEvent('condensation-request', {}));
    }
    const at = `${where}, call ${step}`;
    const view = await condenseUntilSettled(condenser, host, {
      createEvent,
      report: ({ outcome, reason }) => expect(outcome, `${at}: ${reason}`).not.toMatch(/^(?:unsettled|refused-)/),
    });
    if (bound !== undefined) {
      const room = bound + 3 + largestUnit(view) + newestStep(view);
      expect(view.events.length, `${at}: events`).toBeLessThanOrEqual(room);
    }
    // At every call, so that what is remembered of the calls before is used.
    const messages = view.toMessages(render);
    if (step % checkEvery === 0 || step === calls.length - 1) {
      expect(findRefusals(messages), at).toEqual([]);
      const spoken = messages.filter(({ role }) => role !== 'system');
      expect(spoken, `${at}: rendered anew`).toEqual(messagesOfItems(view, render));
    }
  }
  return { steps: calls.length, condensations };
}

/** What cannot be cut stays whole: a batch, or the newest step. Unit: events. */
function largestUnit(view: View): number {
  let [largest, last] = [0, 0];
  for (const cut of view.cutPoints) {
    largest = Math.max(largest, cut - last);
    last = cut;
  }
  return Math.max(largest, view.events.length - last);
}

/** What no condenser takes away: the newest answer, and all that came after it. Unit: events. */
function newestStep({ events }: View): number {
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    if (event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant'))
      return events.length - index;
  }
  return events.length;
}

const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
const places: readonly (readonly [string, () => AsyncIterable<Session>, boolean])[] = [
  ['our own corpus', () => readSessions(corpus), false],
  [
    `the real sessions that PALIMPSEST_TRAJECTORIES names, ${extent}`,
    () => recordedSessions(recorded ?? '', 40),
    recorded === undefined,
  ],
];

for (const [place, read, isSkipped] of places) {
  describe.skipIf(isSkipped)(`at tight settings, over ${place}: nothing refused, no growth, no loop`, () => {
    const sessions: Session[] = [];
    beforeAll(async () => {
      for await (const session of read()) sessions.push(session);
    });

    test.each(Object.keys(tight))('%s', { timeout: 600_000 }, async (name) => {
      const subject = tight[name] as Tight;
      let [steps, condensations] = [0, 0];
      for (const session of sessions) {
        const outcome = await replay(session.events, subject, `${session.name}, ${name}`);
        steps += outcome.steps;
        condensations += outcome.condensations;
      }
      expect(sessions.length).toBeGreaterThan(0);
      if (subject.create().rewritesEveryStep !== true && name !== 'browserOutput') {
        expect(condensations, `${name} never acted`).toBeGreaterThan(0);
      }
      console.log(`${name}: ${sessions.length} sessions, ${steps} model calls, ${condensations} condensations`);
    });
  });
}
