import type { Event, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import type { MeasuredLog } from '../sessions.js';

/** A history to begin with and the steps that follow, as events and as the messages that they become. */
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

/** How many steps follow. */
export const stepCount = 40;

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

/** Sessions of real agents, one after another, as if one agent had worked on them all. */
export function recordedHistory(logs: (length: number) => MeasuredLog, messages: number): History {
  return historyOf('real', logs(messages + 4_000).events, messages);
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
