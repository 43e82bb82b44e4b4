import type { Event, Message } from '@palimpsest/events';
import type { ScenarioPath } from './scenario-file.js';
import type { Expectation, Scenario } from './scenario-schema.js';

/** The end of a turn. */
export interface Outcome {
  readonly status?: string;
  readonly answer?: string;
  readonly iterations?: number;
  /** The codes of the error and of its causes. */
  readonly error?: string;
  readonly message?: string;
  /** The scenario itself is wrong: its script is too short. */
  readonly problem?: string;
}

/** An expectation that was not met. */
export interface Failure {
  /** `file:line:column`. */
  readonly where: string;
  readonly message: string;
}

/** The facts that are known after a turn, or after the last one. */
interface Facts {
  /** The place of the turn; empty for the whole scenario. */
  readonly path: ScenarioPath;
  readonly outcome: Outcome | undefined;
  readonly events: readonly Event[];
  readonly requests: readonly (readonly Message[])[];
}

/** Returns the expectations of a turn, or of the whole scenario, that are not met. */
export function failuresOf(
  facts: Facts,
  scenario: Scenario,
  where: (path: ScenarioPath) => string,
): readonly Failure[] {
  const [, turn] = facts.path;
  const expected = typeof turn === 'number' ? scenario.turns[turn]?.expect : scenario.expect;
  if (expected === undefined) return [];
  const { outcome, events, requests } = facts;
  const problems: readonly Problem[] = [
    ...outcomeProblems(expected.outcome ?? {}, outcome ?? {}),
    ...(expected.events ?? []).flatMap((one, index) => eventProblems(one, events, ['events', index])),
    ...orderProblems(expected.order ?? [], events),
    ...(expected.messages ?? []).flatMap((one, index) => messageProblems(one, requests, ['messages', index])),
    ...(expected.requests === undefined || expected.requests === requests.length
      ? []
      : [[['requests'], `the model was called ${requests.length} times, not ${expected.requests}`] as const]),
  ];
  return problems.map(([path, message]) => ({ where: where([...facts.path, 'expect', ...path]), message }));
}

type Problem = readonly [path: ScenarioPath, message: string];

function outcomeProblems(expected: NonNullable<Expectation['outcome']>, outcome: Outcome): readonly Problem[] {
  const problems: Problem[] = [];
  const { status = 'none', answer = '', error = '', iterations = 0, message } = outcome;
  const told = message === undefined ? '' : ` (${message})`;
  if (expected.status !== undefined && expected.status !== status)
    problems.push([['outcome', 'status'], `the status is '${status}', not '${expected.status}'${told}`]);
  if (expected.answer !== undefined && !answer.includes(expected.answer))
    problems.push([['outcome', 'answer'], `the answer is '${answer}', without '${expected.answer}'`]);
  if (expected.error !== undefined && !error.split(', ').includes(expected.error))
    problems.push([['outcome', 'error'], `the error is '${error || 'none'}', not '${expected.error}'${told}`]);
  if (expected.iterations !== undefined && expected.iterations !== iterations)
    problems.push([['outcome', 'iterations'], `there were ${iterations} iterations, not ${expected.iterations}`]);
  return problems;
}

type EventExpectation = NonNullable<Expectation['events']>[number];

function eventProblems(expected: EventExpectation, events: readonly Event[], path: ScenarioPath): readonly Problem[] {
  const { type, contains, with: fields, count } = expected;
  const ofType = events.filter((event) => event.type === type);
  const found = ofType.filter(
    (event) => (contains === undefined || holds(event, contains)) && (fields === undefined || matches(event, fields)),
  );
  if (isCount(found.length, count)) return [];
  const types = [...new Set(events.map((event) => event.type))].join(', ');
  const seen = ofType.length === 0 ? `the log has: ${types}` : `${ofType.length} of the type '${type}' in all`;
  return [[path, `${found.length} such events, not ${countText(count)}; ${seen}`]];
}

function orderProblems(order: readonly string[], events: readonly Event[]): readonly Problem[] {
  let next = 0;
  for (const { type } of events) if (type === order[next]) next++;
  if (next === order.length) return [];
  const before = next === 0 ? '' : ` after ${order.slice(0, next).join(', ')}`;
  const types = events.map(({ type }) => type).join(', ');
  return [[['order', next], `no '${order[next]}' comes${before}; the log has: ${types}`]];
}

type MessageExpectation = NonNullable<Expectation['messages']>[number];

function messageProblems(
  { request, role, contains, count }: MessageExpectation,
  requests: readonly (readonly Message[])[],
  path: ScenarioPath,
): readonly Problem[] {
  const messages = request === 'last' ? requests.at(-1) : requests[request - 1];
  if (messages === undefined) return [[path, `there is no request ${request}; there are ${requests.length}`]];
  const ofRole = messages.filter((message) => role === undefined || message.role === role);
  const found = ofRole.filter((message) => contains === undefined || holds(message, contains));
  if (isCount(found.length, count)) return [];
  const roles = messages.map((message) => message.role).join(', ');
  return [[path, `${found.length} such messages, not ${countText(count)}; the request has: ${roles}`]];
}

function isCount(found: number, count: number | undefined): boolean {
  return count === undefined ? found > 0 : found === count;
}

function countText(count: number | undefined): string {
  return count === undefined ? 'one or more' : String(count);
}

/** True if any text in the value contains the text. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, text));
}

/** True if the value has all that is expected: objects in part, lists item by item. */
function matches(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(expected) && (!Array.isArray(value) || value.length !== expected.length)) return false;
  return Object.entries(expected).every(([key, one]) => matches((value as Record<string, unknown>)[key], one));
}
