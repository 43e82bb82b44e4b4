import type { Event } from '@palimpsest/events';
import { ViewProjection, condensation } from '@palimpsest/view';
import { ordinaryLog, returningResponseLog } from './logs.js';
import { measure, printTimings } from './measure.js';
import type { Subject } from './measure.js';

/** Folds a log, with and without a view at every event. Floor: a plain loop that pushes each event and maps its id. */
export async function foldBench(): Promise<void> {
  const logs = [
    ['an ordinary log', ordinaryLog],
    ['one response that returns after each message of the framework', returningResponseLog],
  ] as const;
  for (const [kind, make] of logs) {
    for (const length of [10_000, 100_000, 1_000_000]) {
      const log = make(length);
      const timings = await measure(bareLoop(log), [fold(log), foldWithViews(log)], length > 100_000 ? 3 : 9);
      printTimings(`Fold of ${length.toLocaleString('en-GB')} events, ${kind}`, length, timings);
    }
  }
}

/** The number of timed appends of a condensation to a fresh fold, after the same number of warm-up appends. */
const timedAppends = 9;

/** One condensation of the middle half of a view. Floor: a copy of the view's list. */
export async function condensationBench(): Promise<void> {
  for (const length of [1_000, 10_000, 100_000]) {
    const projection = new ViewProjection();
    for (const event of ordinaryLog(length)) projection.append(event);
    const { view } = projection;
    const range = { start: Math.floor(length / 4), end: Math.floor((length * 3) / 4) };
    const floor: Subject = { name: 'copy the list', run: () => [...view.events] };
    const make: Subject = { name: 'make a condensation', run: () => condensation({ view, ...range, summary: 'S' }) };
    printTimings(
      `Condensation of half of ${length.toLocaleString('en-GB')} events`,
      length,
      await measure(floor, [make], 9),
    );

    const event = condensation({ view, ...range, summary: 'S' });
    const times: number[] = [];
    for (let round = 0; round < 2 * timedAppends; round++) {
      const target = new ViewProjection();
      for (const logged of ordinaryLog(length)) target.append(logged);
      globalThis.gc?.();
      const start = performance.now();
      target.append(event);
      times.push(performance.now() - start);
    }
    // The first half is warm-up.
    const median = times.slice(timedAppends).sort((a, b) => a - b)[Math.floor(timedAppends / 2)] ?? NaN;
    console.log(`          ${median.toFixed(1).padStart(9)} ms                  append it to the fold`);
  }
}

function bareLoop(log: readonly Event[]): Subject {
  return {
    name: 'bare loop: push the event, set its id in a Map',
    run: () => {
      const events: Event[] = [];
      const byId = new Map<string, Event>();
      for (const event of log) {
        events.push(event);
        byId.set(event.id, event);
      }
      return byId;
    },
  };
}

function fold(log: readonly Event[]): Subject {
  return {
    name: 'fold, one view at the end',
    run: () => {
      const projection = new ViewProjection();
      for (const event of log) projection.append(event);
      return projection.view;
    },
  };
}

function foldWithViews(log: readonly Event[]): Subject {
  return {
    name: 'fold, a view and its end cut at every event',
    run: () => {
      const projection = new ViewProjection();
      let cuts = 0;
      for (const event of log) {
        projection.append(event);
        const { view } = projection;
        if (view.cutPoints.has(view.events.length)) cuts++;
      }
      return [projection, cuts];
    },
  };
}
