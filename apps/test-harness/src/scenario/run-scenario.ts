import { dirname, resolve } from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { pipelineCondenser } from '@palimpsest/condensers';
import { loadCondenser } from '@palimpsest/condensers/config';
import type { CondenserConfig } from '@palimpsest/condensers/config';
import { importFrom } from '@palimpsest/condensers/node';
import { eventFactory, memoryEventStore, PalimpsestError } from '@palimpsest/events';
import type { CreateEvent, Event, EventStore, Message } from '@palimpsest/events';
import { observationLabel, relevanceCondenser, relevanceTool } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { HarnessError, messageOf } from '../harness-error.js';
import { findRefusals } from '../measure/refusals.js';
import { failuresOf } from './expectations.js';
import type { Failure, Outcome } from './expectations.js';
import type { ScenarioFile, ScenarioPath } from './scenario-file.js';
import { scriptedModel, scriptedTool, ScriptTooShortError, summariser, textOf } from './script.js';
import type { Kill } from './script.js';

/** The result of a scenario. */
export interface ScenarioResult {
  readonly file: string;
  readonly name: string;
  readonly failures: readonly Failure[];
  readonly events: readonly Event[];
  /** What the model was sent, request by request. */
  readonly requests: readonly (readonly Message[])[];
}

const conversationId = 'scenario';
const firstMoment = Date.UTC(2026, 0, 1);
const usualSummaries = ['What was done so far was summarised here.'];

/**
 * Runs a scenario: a real agent and condenser, with a model and tools that answer from the file. Ids and times are the same in
 * every run. Every request is checked for what providers refuse.
 *
 * @throws {@link HarnessError} `scenario` when the condenser cannot be made.
 */
export async function runScenario(file: ScenarioFile): Promise<ScenarioResult> {
  const { scenario, where } = file;
  let died: (() => void) | undefined;
  const kill: Kill = () => {
    died?.();
    return new Promise<never>(() => undefined);
  };
  const model = scriptedModel(scenario.contextWindow, kill);
  const agent = await agentOf(file, model.llm, kill);
  let store = memoryEventStore();
  let conversation = await open(agent, store, scenario.maxIterations);
  const failures: Failure[] = [];
  const requests = (): readonly (readonly Message[])[] => model.llm.requests.map(({ messages }) => messages);
  const check = async (path: ScenarioPath, outcome: Outcome | undefined): Promise<void> => {
    const events = await eventsOf(store);
    failures.push(...failuresOf({ path, outcome, events, requests: requests() }, scenario, where));
  };
  let last: Outcome | undefined;
  for (const [index, turn] of scenario.turns.entries()) {
    const path = ['turns', index];
    const fail = (message: string, place: ScenarioPath = path): void =>
      void failures.push({ where: where(place), message });
    model.begin(turn.model);
    const dead = new Promise<Outcome>((done) => (died = () => done({ status: 'killed' })));
    last = await Promise.race([dead, outcomeOf(conversation, turn)]);
    if (last.problem !== undefined) fail(last.problem, [...path, 'model']);
    if (last.status === 'killed') {
      // A new process knows what had been stored, and nothing else.
      store = await copyOf(store);
      conversation = await open(agent, store, scenario.maxIterations);
    }
    if (model.left > 0)
      fail(`${model.left} of ${turn.model.length} replies of the model were not asked for`, [...path, 'model']);
    if (
      last.status === 'error' &&
      turn.expect?.outcome?.error === undefined &&
      turn.expect?.outcome?.status !== 'error'
    )
      fail(`the run ended in an error that is not expected: ${last.error ?? ''}: ${last.message ?? ''}`);
    await check(path, last);
  }
  await check([], last);
  for (const [index, messages] of requests().entries()) {
    for (const { provider, rule, message } of findRefusals(messages))
      failures.push({
        where: file.file,
        message: `request ${index + 1} would be refused: ${provider} ${rule}: ${message}`,
      });
  }
  return { file: file.file, name: scenario.name, failures, events: await eventsOf(store), requests: requests() };
}

async function agentOf({ file, scenario, where }: ScenarioFile, llm: Agent['llm'], kill: Kill): Promise<Agent> {
  const createEvent = countedEvents();
  const condensers: Condenser[] = scenario.relevance ? [relevanceCondenser()] : [];
  if (scenario.condenser !== undefined) {
    try {
      const model = summariser(scenario.summaries ?? usualSummaries);
      const importModule = importFrom(dirname(resolve(file)));
      const host = { llm: () => model, defaultLLM: model, importModule, createEvent };
      condensers.push(await loadCondenser(scenario.condenser as CondenserConfig, host));
    } catch (cause) {
      if (!PalimpsestError.isInstance(cause)) throw cause;
      throw new HarnessError('scenario', `${where(['condenser'])}: condenser: ${cause.message}`, { cause });
    }
  }
  const [only] = condensers;
  const condenser = condensers.length > 1 ? pipelineCondenser(condensers) : only;
  const tools = scenario.tools.map((tool) => scriptedTool(tool, kill));
  return new Agent({
    llm,
    tools: scenario.relevance ? [...tools, relevanceTool({ createEvent })] : tools,
    ...(scenario.system === undefined ? {} : { systemPrompt: scenario.system }),
    ...(condenser === undefined ? {} : { condenser }),
    ...(scenario.relevance ? { render: { labelObservation: observationLabel } } : {}),
    createEvent,
  });
}

/** Makes events with ids in their order, and a second from one event to the next. */
function countedEvents(): CreateEvent {
  let count = 0;
  return eventFactory({ newId: () => `event-${++count}`, now: () => new Date(firstMoment + count * 1_000) });
}

function open(agent: Agent, store: EventStore, maxIterations: number): Promise<Conversation> {
  return Conversation.open({ agent, store, conversationId, limits: { maxIterations }, reminders: [] });
}

async function outcomeOf(
  conversation: Conversation,
  turn: ScenarioFile['scenario']['turns'][number],
): Promise<Outcome> {
  try {
    if (turn.user !== undefined) await conversation.send(textOf(turn.user));
    if (turn.condense === true) await conversation.condense();
    if (!turn.run) return {};
    const { status, answer, iterations } = await conversation.run();
    return { status, iterations, ...(answer === undefined ? {} : { answer }) };
  } catch (error) {
    const [problem] = causesOf(error).filter((cause) => cause instanceof ScriptTooShortError);
    const codes = causesOf(error).flatMap((cause) => (PalimpsestError.isInstance(cause) ? [cause.code] : []));
    const message = messageOf(error);
    return {
      status: 'error',
      error: codes.join(', '),
      message,
      ...(problem instanceof Error ? { problem: problem.message } : {}),
    };
  }
}

/** Returns an error and what caused it. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 20;) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

async function eventsOf(store: EventStore): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(conversationId)) events.push(event);
  return events;
}

async function copyOf(store: EventStore): Promise<ReturnType<typeof memoryEventStore>> {
  const copy = memoryEventStore();
  await copy.append(conversationId, await eventsOf(store));
  return copy;
}
