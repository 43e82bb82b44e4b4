import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
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
      return condenseUntilSettled(condenser, projection);
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
