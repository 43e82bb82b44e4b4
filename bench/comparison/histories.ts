import type { Event, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { measuredLogs, recordings } from '../histories.js';

/** A history to begin with and the steps that follow, as events and as the messages that they become. Plain JSON. */
export interface History {
  readonly name: string;
  readonly start: Part;
  /** Each of them a call, or several at once, with the results. */
  readonly steps: readonly Part[];
}

/** A part of a history. */
export interface Part {
  readonly events: readonly Event[];
  readonly messages: readonly Message[];
}

/** The summary that the scripted model writes. */
export const summary = 'The agent read files and changed some of them. '.repeat(8);
/** A limit that no history reaches. */
export const never = 1_000_000_000;

/** The number of steps that follow. */
const stepCount = 40;
/** In messages; other ones as arguments of the command. */
const named = process.argv.slice(2).map(Number);
const sizes = named.length === 0 ? [100, 1_000, 10_000] : named;

/**
 * Yields histories of 100, 1,000 and 10,000 messages: made up, and of real sessions where `PALIMPSEST_TRAJECTORIES` names a
 * folder.
 */
export async function* histories(): AsyncGenerator<History> {
  const logs = recordings === undefined ? undefined : await measuredLogs();
  for (const messages of sizes) {
    yield syntheticHistory(messages);
    // One session after another, as if one agent had worked on them all.
    if (logs !== undefined) yield historyOf('real', logs(messages + 4_000).events, messages);
  }
}

/** Reads files of 800 characters, one after another. */
export function syntheticHistory(messages: number): History {
  const log = logBuilder();
  log.system('You repair programs.');
  log.user('Mend the parser.');
  for (let index = 0; log.events.length < messages + 2 * stepCount; index++) {
    log.call('read_file', { path: `src/module-${index}.ts` }, `export const value${index} = ${index};\n`.repeat(30));
  }
  return historyOf('synthetic', log.events, messages);
}

/** Cuts the log where the view may be cut: a start of so many messages, then steps with a call each. */
function historyOf(name: string, events: readonly Event[], messages: number): History {
  const view = View.fromEvents(events);
  const cuts = [...view.cutPoints];
  const shown = [...view.events];
  const first = cuts.findIndex((cut) => cut >= messages);
  const start = part(shown.slice(0, cuts[first]));
  const steps: Part[] = [];
  let from = cuts[first] ?? 0;
  for (const cut of cuts.slice(first + 1)) {
    const step = shown.slice(from, cut);
    if (!step.some(({ type }) => type === 'observation')) continue;
    steps.push(part(step));
    from = cut;
    if (steps.length === stepCount) break;
  }
  if (steps.length < stepCount) throw new Error(`The ${name} history has only ${steps.length} steps after its start`);
  return { name, start, steps };
}

function part(events: readonly Event[]): Part {
  return { events, messages: View.fromEvents(events).toMessages() };
}
