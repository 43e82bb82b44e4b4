import { EventLog, createEvent as createDefaultEvent } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  CreateEvent,
  Event,
  Message,
  Tool,
  ToolContext,
  ToolOutput,
} from '@palimpsest/events';
import { condenseUntilSettled, isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser } from '@palimpsest/view';
import { observationLabel } from '../src/labels.js';

/** An answer of a scripted model: calls, or words that end the run. */
export interface Turn {
  readonly calls?: readonly {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly id?: string;
  }[];
  readonly text?: string;
}

/** The result of one run. */
export interface LoopRun {
  /** The messages of each model call. */
  readonly requests: readonly (readonly Message[])[];
  /** The log's length at each model call. */
  readonly lengths: readonly number[];
  readonly condensations: readonly Condensation[];
  readonly reports: readonly AttemptReport[];
}

/**
 * Runs a loop as somebody without `@palimpsest/agent` would write it: one log, one projection, one condenser, some
 * tools.
 */
export async function runLoop(options: {
  readonly log: EventLog;
  readonly tools: readonly Tool[];
  readonly condenser: Condenser;
  /** Its answer to the call with this number, from 0 on. */
  readonly respond: (messages: readonly Message[], call: number) => Turn;
  readonly context?: Partial<CondenseContext>;
  readonly createEvent?: CreateEvent;
  /** Reports go into the log. @defaultValue true */
  readonly logReports?: boolean;
  /** Calls of one response run side by side. @defaultValue false */
  readonly parallel?: boolean;
}): Promise<LoopRun> {
  const { log, condenser, createEvent = createDefaultEvent } = options;
  const projection = new ViewProjection();
  for (const event of log) projection.append(event);
  const stop = log.observe((event) => projection.append(event));
  const run = { requests: [] as (readonly Message[])[], lengths: [] as number[], condensations: [] as Condensation[] };
  const reports: AttemptReport[] = [];
  for (;;) {
    const condensed = await condenseUntilSettled(
      condenser,
      {
        get view() {
          return projection.view;
        },
        append: async (event) => {
          if (event.type === 'condensation') run.condensations.push(event);
          if (event.type !== 'condensation-attempt' || options.logReports !== false) await log.append(event);
        },
      },
      { ...options.context, createEvent, report: (attempt) => void reports.push(attempt) },
    );
    const messages = condensed.toMessages({ labelObservation: observationLabel });
    const turn = options.respond(messages, run.requests.length);
    run.requests.push(messages);
    run.lengths.push(log.length);
    if (turn.calls === undefined) {
      const text = turn.text ?? 'Done.';
      await log.append(
        createEvent('message', { source: 'agent', role: 'assistant', content: [{ type: 'text', text }] }),
      );
      stop();
      return { ...run, reports };
    }
    const llmResponseId = `response-after-${log.length}`;
    const actions = turn.calls.map(({ name, input, id }, index) =>
      createEvent('action', {
        thought: [],
        toolCall: { id: id ?? `call-${log.length}-${index}`, name, arguments: JSON.stringify(input) },
        llmResponseId,
      }),
    );
    await log.append(...actions);
    const answers = actions.map((action) => () => answer(action, options.tools, log, createEvent));
    if (options.parallel === true) await Promise.all(answers.map((run) => run()));
    else for (const run of answers) await run();
  }
}

/** Returns what a tool is given when an action of a log is carried out. */
export function toolContext(log: EventLog, action: ActionEvent): ToolContext {
  return {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log,
    event: (id) => log.get(id),
    append: (event) => log.append(event),
  };
}

async function answer(
  action: ActionEvent,
  tools: readonly Tool[],
  log: EventLog,
  createEvent: CreateEvent,
): Promise<void> {
  const address = { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
  try {
    const tool = tools.find(({ name }) => name === action.toolCall.name);
    if (tool === undefined) throw new Error(`There is no tool '${action.toolCall.name}'.`);
    const output = await tool.execute(tool.parseInput(JSON.parse(action.toolCall.arguments)), toolContext(log, action));
    await log.append(createEvent('observation', { ...address, ...fieldsOf(output) }));
  } catch (error) {
    await log.append(createEvent('agent-error', { ...address, error: (error as Error).message }));
  }
}

function fieldsOf(output: ToolOutput) {
  if (typeof output === 'string') return { content: [{ type: 'text' as const, text: output }] };
  const { content, ...rest } = output;
  return { ...rest, content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content };
}

/** Returns a log in memory that holds these events. */
export async function logOf(events: readonly Event[]): Promise<EventLog> {
  const log = new EventLog('test');
  await log.append(...events);
  return log;
}

/** Returns the result messages of a request by the id of their call. */
export function resultTexts(messages: readonly Message[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'tool') continue;
    texts.set(
      message.toolCallId,
      message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    );
  }
  return texts;
}

/** Returns what a condenser makes of a log, and what it reported. */
export async function condensed(
  condenser: Condenser,
  events: Iterable<Event>,
  context: Partial<CondenseContext> = {},
): Promise<{ view: View; result: View; reports: AttemptReport[] }> {
  const reports: AttemptReport[] = [];
  const view = View.fromEvents(events);
  const result = await condenser.condense(view, { ...context, report: (attempt) => void reports.push(attempt) });
  if (isCondensation(result)) throw new Error('a condensation');
  return { view, result, reports };
}
