import { llmSummarizingCondenser } from '@palimpsest/condensers';
import type { Event, EventId, Message } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { redactedCopy, ViewProjection } from '@palimpsest/view';
import type { Replacement, View } from '@palimpsest/view';
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
    const { origin, events } = logOf(length + 5 * (2 * steps));
    const times = { floor: [], step: [], replaced: [], grown: [], whole: [] } as Times;
    let messages: readonly Message[] = [];
    for (let round = 0; round < rounds; round++) {
      const projection = folded(events.slice(0, length));
      messages = projection.view.toMessages();
      const groups = stepsOf(events.slice(length));
      const part = (from: number): readonly (readonly Event[])[] => groups.slice(from * steps, (from + 1) * steps);
      await takeSteps(projection, part(0));
      globalThis.gc?.();
      times.floor.push((await timed(() => copies(messages))) / steps);
      times.step.push((await timed(() => takeSteps(projection, part(1)))) / steps);
      const changes = replacements(projection.view, 200);
      const some = new Map(changes.slice(0, 100));
      await takeSteps(projection, part(2), (view) => view.replace(some));
      times.replaced.push((await timed(() => takeSteps(projection, part(3), (view) => view.replace(some)))) / steps);
      const more = changes.slice(100).values();
      const oneMore = (view: View): View => {
        const { value } = more.next();
        if (value !== undefined) some.set(...value);
        return view.replace(some);
      };
      times.grown.push((await timed(() => takeSteps(projection, part(4), oneMore))) / steps);
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

/** The first results of a view, each with the copy that a policy would send in its place. */
function replacements(view: View, count: number): readonly (readonly [EventId, Replacement])[] {
  const results = view.events.slice().filter((event) => event.type === 'observation');
  const every = Math.max(1, Math.floor(results.length / count));
  return results
    .filter((_, index) => index % every === 0)
    .flatMap((event) => {
      const copy = redactedCopy(event, { text: 'Response redacted: superseded' });
      return copy === undefined ? [] : [[event.id, { event: copy, effectiveFrom: event.id }] as const];
    })
    .slice(0, count);
}

async function takeSteps(
  projection: ViewProjection,
  groups: readonly (readonly Event[])[],
  rewrite: (view: View) => View = (view) => view,
): Promise<number> {
  let length = 0;
  for (const group of groups) {
    for (const event of group) projection.append(event);
    const { view } = projection;
    await condenser.condense(view, { report: () => undefined });
    length += rewrite(view).toMessages().length;
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

/** CPU times of a step. Unit: milliseconds. */
type Times = Readonly<Record<'floor' | 'step' | 'replaced' | 'grown' | 'whole', number[]>>;

const names: Readonly<Record<keyof Times, string>> = {
  floor: 'one array of references',
  step: 'append, view, decision, messages',
  replaced: 'the same with 100 results replaced by copies',
  grown: 'the same with one more replaced at each step',
  whole: 'every message rendered',
};

function print(title: string, times: Times): void {
  console.log(`\n${title}: CPU`);
  const floor = median(times.floor);
  for (const [name, values] of Object.entries(times) as [keyof Times, readonly number[]][]) {
    const time = median(values);
    const least = Math.min(...values).toFixed(4);
    const ratio = `${(time / floor).toFixed(1).padStart(8)}×`;
    console.log(`  ${ratio}  ${time.toFixed(4).padStart(9)} ms (least ${least})  ${names[name]}`);
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
