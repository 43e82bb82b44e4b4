import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, ViewProjection } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { tight } from '../test-support/tight-condensers.js';

const recalled = 'what was recalled\n'.repeat(22);
const other = (step: number) => `part ${step} of something else\n`.repeat(40);

describe('what was recalled is not hidden again at once, and not kept for ever', () => {
  test.each(Object.keys(tight))('%s', async (name) => {
    const condenser = tight[name]?.create() as Condenser;
    const log = logBuilder();
    const projection = new ViewProjection();
    let folded = 0;
    const shown = async (): Promise<View> => {
      for (; folded < log.events.length; folded++) projection.append(log.events[folded] as Event);
      return settled(condenser, projection);
    };
    const holds = (view: View): boolean =>
      JSON.stringify(view.toMessages()).includes(JSON.stringify(recalled).slice(1, -1));
    log.user('Read it all.');
    for (let step = 0; step < 12; step++) {
      log.call('browser_read', { step }, other(step));
      await shown();
    }
    const answer = log.action('recall');
    log.observation(answer, recalled, { details: { recalledEventIds: ['event-2'] } });
    for (let responses = 1; responses <= 10; responses++) {
      expect(holds(await shown()), `${responses} responses, its own among them`).toBe(true);
      log.call('browser_read', { responses }, other(responses));
    }
    for (let step = 100; step < 160; step++) {
      log.call('browser_read', { step }, other(step));
      // Invocations are what this condenser forgets.
      if (step % 10 === 0) {
        log.agent('Done.');
        log.user('Go on.');
      }
      await shown();
    }
    log.request();
    // What an invocation's summary once left stays until the summaries are rolled up.
    if (name !== 'slidingWindow') expect(holds(await shown())).toBe(name === 'browserOutput');
  });
});

/** What a host with this condenser shows next. */
async function settled(condenser: Condenser, projection: ViewProjection): Promise<View> {
  let number = projection.view.internalEvents.length;
  const createEvent = eventFactory({
    newId: () => `settled-${++number}-${projection.view.events.length}`,
    now: () => new Date(0),
  });
  for (;;) {
    try {
      const result = await condenser.condense(projection.view, {
        report: (attempt) =>
          projection.append(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt })),
      });
      if (!isCondensation(result)) return result;
      projection.append(result);
    } catch (error) {
      if (!NoCondensationAvailableError.isInstance(error)) throw error;
      projection.append(
        createEvent('condensation', { forgottenEventIds: [], metadata: { reason: 'nothing-to-forget' } }),
      );
    }
  }
}
