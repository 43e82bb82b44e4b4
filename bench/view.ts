import { parseEvent } from '@palimpsest/events';
import type { Event, Message } from '@palimpsest/events';
import type { CompletionRequest } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest, toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import { View, ViewProjection } from '@palimpsest/view';
import { ordinaryLog } from './histories.js';
import type { LogOf } from './histories.js';
import { collect, cpuOf, keepFirst, median, stringifyTime } from './measure.js';
import type { Limits, Row } from './measure.js';

const sizes = [100, 1_000, 10_000];
/** Of what begins from nothing, the least of so many is taken. */
const beginnings = 20;
/** Of further steps, the median of so many is taken. */
const steps = 30;
const count = (size: number): string => size.toLocaleString('en-GB');

/** Compares the messages of a log in memory that nobody has read before with `JSON.stringify` of them. */
export async function messagesOfLog(logOf: LogOf): Promise<readonly Row[]> {
  const logs: readonly (readonly [name: string, limits: Limits, make: (size: number) => readonly Event[]])[] = [
    ['', [1, 0.7], (size) => logOf(size).events],
    [', synthetic of 200 characters each', [3], (size) => ordinaryLog(size).map(parseEvent)],
  ];
  const rows: Row[] = [];
  for (const [name, limits, make] of logs) {
    for (const size of sizes) {
      const [times, floors]: [number[], number[]] = [[], []];
      for (let round = 0; round < beginnings; round++) {
        const events = make(size);
        let messages: readonly Message[] = [];
        let view = View.fromEvents([]);
        collect();
        times.push(await cpuOf(() => (messages = (view = View.fromEvents(events)).toMessages())));
        keepFirst(round, view);
        floors.push(await stringifyTime(messages));
      }
      const figure = Math.min(...times) / Math.min(...floors);
      rows.push({ what: `messages of a log in memory${name}, ${count(size)}`, figure, limits });
    }
  }
  return rows;
}

/**
 * Measures a step of a projection that is kept: a call and its result are appended, and all that an agent asks of the view is
 * asked.
 */
export async function projectionSteps(logOf: LogOf): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const size of [1_000, 10_000]) {
    const { events } = logOf(size + 4 * steps);
    const projection = new ViewProjection();
    for (const event of events.slice(0, size)) projection.append(event);
    const [times, floors]: [number[], number[]] = [[], []];
    for (let at = size; at < events.length; at += 2) {
      let messages: readonly Message[] = [];
      const step = (): void => {
        for (const event of events.slice(at, at + 2)) projection.append(event);
        const { view } = projection;
        messages = view.toMessages();
        view.tokens();
        view.cutPoints.atOrBefore(view.events.length);
      };
      times.push(await cpuOf(step));
      floors.push(await stringifyTime(messages));
    }
    const figure = median(times.slice(-steps)) / median(floors.slice(-steps));
    rows.push({ what: `a step of a kept projection, ${count(size)}`, figure, limits: [0.4, 0.2] });
  }
  return rows;
}

type Wire = readonly [name: string, limits: Limits, body: (request: CompletionRequest) => unknown];

/** The ways from a history to a body: without cache marks for GPT-4o, with them for the others. */
const wires: readonly Wire[] = [
  ['Messages, Claude', [3], (request) => toMessagesRequest(request, { model: 'claude-opus-5-5' })],
  ['Chat Completions, GPT-4o', [2], (request) => toChatCompletionsRequest(request, { model: 'gpt-4o' })],
  ['Responses, GPT-6', [2], (request) => toResponsesRequest(request, { model: 'gpt-6-sol' })],
];

/**
 * Measures a body from nothing: the log in memory that nobody has read before is folded, and its messages become the body of a
 * request. The floor is `JSON.stringify` of the messages. Beside it the body alone, and that of a history that has grown by a
 * step.
 */
export async function bodies(logOf: LogOf): Promise<readonly Row[]> {
  const size = 10_000;
  const rows: Row[] = [];
  const request = (messages: readonly Message[]): CompletionRequest => ({
    messages,
    cache: { key: 'k', cachedMessages: 0 },
  });
  for (const [name, limits, body] of wires) {
    const [times, alone, floors]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < beginnings; round++) {
      const { events } = logOf(size);
      let messages: readonly Message[] = [];
      collect();
      let view = View.fromEvents([]);
      const read = await cpuOf(() => (messages = (view = View.fromEvents(events)).toMessages()));
      collect();
      let written: unknown;
      const made = await cpuOf(() => (written = body(request(messages))));
      keepFirst(round, view, written);
      floors.push(await stringifyTime(messages));
      times.push(read + made);
      alone.push(made);
    }
    const floor = Math.min(...floors);
    const further = await furtherBodies(logOf, size, (messages) => body(request(messages)));
    rows.push(
      { what: `a body from nothing, ${name}, ${count(size)}`, figure: Math.min(...times) / floor, limits },
      { what: `the body alone, ${name}, ${count(size)}`, figure: Math.min(...alone) / floor },
      { what: `the body a step later, ${name}, ${count(size)}`, figure: median(further) / floor },
    );
  }
  return rows;
}

/** Returns the times of the bodies of a history that grows by a call and its result. */
async function furtherBodies(
  logOf: LogOf,
  size: number,
  body: (messages: readonly Message[]) => unknown,
): Promise<readonly number[]> {
  const { events } = logOf(size + 2 * steps);
  const projection = new ViewProjection();
  for (const event of events.slice(0, size)) projection.append(event);
  body(projection.view.toMessages());
  const times: number[] = [];
  for (let at = size; at < events.length; at += 2) {
    for (const event of events.slice(at, at + 2)) projection.append(event);
    const messages = projection.view.toMessages();
    times.push(await cpuOf(() => body(messages)));
  }
  return times;
}
