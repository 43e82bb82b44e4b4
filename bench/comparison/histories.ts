import { recordedHistory, syntheticHistory } from './history.js';
import type { History } from './history.js';

/** What the model writes that is asked for a summary. */
export const summary = 'The agent read files and changed some of them. '.repeat(8);
/** A limit that no history reaches. */
export const never = 1_000_000_000;

/** Histories of 100, 1,000 and 10,000 messages: made up, and of real sessions where `PALIMPSEST_TRAJECTORIES` names a folder. */
export async function* histories(): AsyncGenerator<History> {
  const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
  for (const messages of (process.env["COMPARISON_SIZES"] ?? "100,1000,10000").split(",").map(Number)) {
    yield syntheticHistory(messages);
    if (recorded !== undefined) yield await recordedHistory(recorded, messages);
  }
}
