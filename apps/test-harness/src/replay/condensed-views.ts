import { eventFactory } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { condensationProblem, isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { modelCalls } from '../import/index.js';

/** What a condenser made of the view at one recorded model call. */
export interface CondensedView {
  readonly modelCall: number;
  /** How many model calls the session has. */
  readonly of: number;
  /** When the recorded call had been answered. */
  readonly at: string;
  /** What would be sent. */
  readonly view: View;
  readonly condensations: number;
  /** How often the condenser failed; the view was left as it was. */
  readonly errors: readonly string[];
  /** When folding began, on the clock of `performance`. Unit: milliseconds. */
  readonly startedAt: number;
}

/** Decisions of the recorded session's own condenser. A replay leaves them out, because another condenser decides now. */
const recordedDecisions = new Set([
  'condensation',
  'condensation-request',
  'condensation-attempt',
  'condensation-revert',
]);

const condensationsInARow = 3;

/**
 * Goes through a recorded session: at every model call it builds the view of the events until then and lets the condenser act.
 * What the condenser forgets stays forgotten for later calls.
 */
export async function* condensedViews(
  recorded: readonly Event[],
  condenser: Condenser,
  options: { readonly contextWindow?: number; readonly onModelCall?: (done: number, of: number) => void } = {},
): AsyncGenerator<CondensedView> {
  const events = recorded.filter(({ type }) => !recordedDecisions.has(type));
  const calls = modelCalls(events);
  const projection = new ViewProjection();
  const createEvent = replayEvents();
  let folded = 0;
  for (const [modelCall, index] of calls.entries()) {
    options.onModelCall?.(modelCall, calls.length);
    const startedAt = performance.now();
    for (; folded < index; folded++) projection.append(events[folded] as Event);
    let view: View = projection.view;
    let condensations = 0;
    const errors: string[] = [];
    for (let round = 0; round < condensationsInARow; round++) {
      view = projection.view;
      const { result, attempts, error } = await condenseOnce(condenser, view, createEvent, options.contextWindow);
      for (const attempt of attempts) projection.append(attempt);
      if (error !== undefined) errors.push(error);
      if (!isCondensation(result)) {
        view = result;
        break;
      }
      condensations++;
      projection.append(result);
      view = projection.view;
    }
    const at = events[index]?.timestamp ?? '';
    yield { modelCall, of: calls.length, at, view, condensations, errors, startedAt };
  }
}

/** Calls the condenser as a host does: its reports go into the log. A failure or a refused result leaves the view unchanged. */
async function condenseOnce(
  condenser: Condenser,
  view: View,
  createEvent: CreateEvent,
  contextWindow: number | undefined,
): Promise<{
  readonly result: View | Condensation;
  readonly attempts: readonly Event[];
  readonly error?: string;
}> {
  const attempts: Event[] = [];
  try {
    const result = await condenser.condense(view, {
      contextWindow,
      report: (attempt) => {
        attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
      },
    });
    const problem = isCondensation(result) ? condensationProblem(view, result, condenser) : undefined;
    return problem === undefined ? { result, attempts } : { result: view, attempts, error: problem.reason };
  } catch (error) {
    return { result: view, attempts, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Ids that no recorded event has, the same in every replay. */
function replayEvents(): CreateEvent {
  let count = 0;
  return eventFactory({ newId: () => `replay-${++count}`, now: () => new Date(0) });
}
