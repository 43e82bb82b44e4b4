import { measuredLogs } from '../sessions.js';
import { recordedHistory, syntheticHistory } from './history.js';
import type { History } from './history.js';

/** What the model writes that is asked for a summary. */
export const summary = 'The agent read files and changed some of them. '.repeat(8);
/** A limit that no history reaches. */
export const never = 1_000_000_000;

/** In messages; other ones as arguments of the command. */
const named = process.argv.slice(2).map(Number);
const sizes = named.length === 0 ? [100, 1_000, 10_000] : named;

/** Histories of 100, 1,000 and 10,000 messages: made up, and of real sessions where `PALIMPSEST_TRAJECTORIES` names a folder. */
export async function* histories(): AsyncGenerator<History> {
  const logs = process.env['PALIMPSEST_TRAJECTORIES'] === undefined ? undefined : await measuredLogs();
  for (const messages of sizes) {
    yield syntheticHistory(messages);
    if (logs !== undefined) yield recordedHistory(logs, messages);
  }
}
