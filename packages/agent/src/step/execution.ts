import type { ActionEvent } from '@palimpsest/events';
import { usableWindow } from '../condensing/window.js';
import { beginningOf, unconfirmed } from '../confirmation.js';
import { executeActions } from '../tools/tool-execution.js';
import type { StepContext } from './step-context.js';
import type { StepOutcome } from './step-outcome.js';

/** Carries out actions, or none of them when one needs a confirmation that nobody has given. */
export async function carryOut(actions: readonly ActionEvent[], step: StepContext): Promise<StepOutcome> {
  const { state, tools, createEvent, emit, hooks, log, secrets, signal } = step;
  const {
    llm,
    confirmation: policy = 'never',
    toolTimeoutMs,
    toolConcurrency,
    output,
    maxOutputTokens,
    instrumentation,
  } = step.options;
  const waiting = unconfirmed(actions, { policy, tools, confirmed: state.confirmedActions });
  if (waiting.length > 0) return { type: 'awaiting-confirmation', actions: waiting };
  // Confirmed actions may be carried out by any process until the log says that one has begun. Actions that need no
  // confirmation begin when they are logged.
  if (actions.some(({ id }) => state.releasedActions.has(id))) await emit(beginningOf(actions, createEvent));
  const window = usableWindow(llm, maxOutputTokens);
  const answer = await executeActions(actions, {
    tools,
    createEvent,
    onEvents: (batch) => emit(...batch),
    log: log.events,
    event: (id) => log.get(id),
    hooks,
    confirmed: state.confirmedActions,
    timeoutMs: toolTimeoutMs,
    concurrency: toolConcurrency,
    output,
    contextWindow: window === undefined ? undefined : Math.max(1, window - (maxOutputTokens ?? 0)),
    secrets,
    instrumentation,
    signal,
  });
  return answer === undefined ? { type: 'tool-calls' } : { type: 'tool-calls', answer };
}
