import { pricedCondenser } from '@palimpsest/condensers';
import { readSessions } from '../apps/test-harness/src/import/index.js';
import { replayPaths } from '../apps/test-harness/src/replay/replay.js';
import { recordings } from './histories.js';
import { cpuOf } from './measure.js';
import type { Row } from './measure.js';

/**
 * The replay took so many times what reading the sessions takes when the view was a machine that kept itself up to date (504a7b7), in
 * a run of this measurement.
 */
const before = 53;

/** The replay of all recorded sessions with `priced`, to reading them; and that to the same before the view was a plain fold. */
export async function replay(): Promise<readonly Row[]> {
  if (recordings === undefined) return [];
  const folder = recordings;
  const read = async (): Promise<void> => {
    for await (const { events } of readSessions(folder)) if (events.length === 0) throw new Error('an empty session');
  };
  const floors: number[] = [];
  for (let round = 0; round < 5; round++) floors.push(await cpuOf(read));
  const policies = [{ name: 'priced', create: () => pricedCondenser() }];
  const time = await cpuOf(async () => {
    for await (const { name, replays } of replayPaths([folder], { policies })) {
      if (replays.some(({ condenserErrors }) => condenserErrors.length > 0)) throw new Error(name);
    }
  });
  const figure = time / Math.min(...floors) / before;
  return [{ what: 'replay of the recorded sessions, to that before the plain fold', figure, limits: [1.5, 1] }];
}
