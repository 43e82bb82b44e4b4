import { llmSummarizingCondenser } from '@palimpsest/condensers';
import type { Event, Message } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { cpuClock, heldBytes, median } from './measure.js';
import { measuredLogs } from './sessions.js';

const llm: LLM = {
  model: 'never-asked',
  complete: () => Promise.reject(new Error('a decision that needs no model asked one')),
};
const condenser = llmSummarizingCondenser({ llm, maxSize: 1_000_000_000 });

/** Measured steps in a round, after as many warm-up steps. A step is a call and its result. */
const steps = 100;
const rounds = 15;

/**
 * A step of an agent with nothing to condense: the events of one call are appended, the view is taken, a condenser decides, and
 * the messages are rendered. Floor: one array of references of that length. Peer: rendering every message.
 */
export async function messagesBench(): Promise<void> {
  const logOf = await measuredLogs();
  for (const length of [1_000, 10_000, 100_000]) {
    const { origin, events } = logOf(length + 2 * (2 * steps));
    const times = { step: [] as number[], floor: [] as number[], whole: [] as number[] };
    let messages: readonly Message[] = [];
    for (let round = 0; round < rounds; round++) {
      const projection = folded(events.slice(0, length));
      messages = projection.view.toMessages();
      const rest = stepsOf(events.slice(length));
      await takeSteps(projection, rest.slice(0, steps));
      globalThis.gc?.();
      times.step.push((await timed(() => takeSteps(projection, rest.slice(steps)))) / (rest.length - steps));
      times.floor.push((await timed(() => copies(messages))) / steps);
      // A new function is another set of options, so nothing that was rendered before is used.
      times.whole.push(await timed(() => projection.view.toMessages({ labelObservation: () => undefined })));
    }
    print(`A step at ${messages.length.toLocaleString('en-GB')} messages of ${origin}`, times);
  }
}

/** The events in groups that end with the answer to a call. */
function stepsOf(events: readonly Event[]): readonly (readonly Event[])[] {
  const groups: Event[][] = [];
  for (let index = 0; index < events.length; index += 2) groups.push(events.slice(index, index + 2));
  return groups;
}

async function takeSteps(projection: ViewProjection, groups: readonly (readonly Event[])[]): Promise<number> {
  let length = 0;
  for (const group of groups) {
    for (const event of group) projection.append(event);
    const { view } = projection;
    await condenser.condense(view, { report: () => undefined });
    length += view.toMessages().length;
  }
  return length;
}

function copies(messages: readonly Message[]): number {
  let length = 0;
  for (let step = 0; step < steps; step++) length += messages.slice().length;
  return length;
}

async function timed(run: () => unknown): Promise<number> {
  const start = cpuClock();
  await run();
  return cpuClock() - start;
}

function print(title: string, times: Readonly<Record<'step' | 'floor' | 'whole', readonly number[]>>): void {
  console.log(`\n${title}: CPU`);
  const floor = median(times.floor);
  const lines = [
    ['one array of references', times.floor],
    ['append, view, decision, messages', times.step],
    ['every message rendered', times.whole],
  ] as const;
  for (const [name, values] of lines) {
    const time = median(values);
    const least = Math.min(...values);
    console.log(
      `  ${(time / floor).toFixed(1).padStart(8)}×  ${time.toFixed(4).padStart(9)} ms (least ${least.toFixed(4)})  ${name}`,
    );
  }
}

/**
 * The memory of what is rendered, for as many conversations as one process holds. They share their events, so what is measured
 * is what each adds. Prints nothing without `--expose-gc`.
 */
export async function messageMemoryBench(): Promise<void> {
  if (globalThis.gc === undefined) return;
  const logOf = await measuredLogs();
  for (const [conversations, length] of [
    [10_000, 40],
    [1_000, 400],
    [10, 40_000],
  ] as const) {
    const { origin, events } = logOf(length);
    const empty = await heldBytes();
    const projections = Array.from({ length: conversations }, () => folded(events));
    sum(projections, (view) => view.sent().items.length);
    const unrendered = await heldBytes();
    const messages = sum(projections, (view) => view.toMessages().length);
    const rendered = await heldBytes();
    projections.length = 0;
    const left = (await heldBytes()) - empty;
    const each = (bytes: number): string => `${(bytes / messages).toFixed(0)} bytes`;
    console.log(
      `\n${conversations.toLocaleString('en-GB')} conversations of ${length.toLocaleString('en-GB')} events of ${origin}:\n` +
        `  a message of a folded log takes ${each(unrendered - empty)}, rendered ${each(rendered - unrendered)} more` +
        ` (${((rendered - empty) / 1e6).toFixed(0)} MB in all); given up, ${each(Math.max(0, left))} are left`,
    );
  }
}

function folded(events: readonly Event[]): ViewProjection {
  const projection = new ViewProjection();
  for (const event of events) projection.append(event);
  return projection;
}

function sum(projections: readonly ViewProjection[], count: (view: View) => number): number {
  return projections.reduce((total, { view }) => total + count(view), 0);
}
