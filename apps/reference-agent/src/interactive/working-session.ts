import type { ActionEvent } from '@palimpsest/events';
import type { Delta, FailedAttempt } from '@palimpsest/llm-adapters';
import type { CommandSurroundings } from '../command-surroundings.js';
import { initEvent } from '../headless/init-event.js';
import { runToEnd } from '../headless/run-ending.js';
import type { RunEnding } from '../headless/run-ending.js';
import { noTotals, withEvent } from '../headless/run-totals.js';
import type { InitEvent } from '../headless/stream-event.js';
import { StreamTranslation } from '../headless/stream-translation.js';
import { openSession } from '../open-session.js';
import type { OpenedSession } from '../open-session.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import type { Approval } from './approval.js';
import type { LoggedEvent } from './session-event.js';

/** Who is told of what a {@link WorkingSession} does. */
export interface WorkListeners {
  readonly onLogged: (logged: LoggedEvent) => void;
  readonly onDelta: (delta: Delta) => void;
  readonly onRetry: (failure: FailedAttempt) => void;
  readonly onModelCalls: (purpose: 'agent' | 'condenser', underWay: number) => void;
}

/** A session that is open, with all that is needed to work in it. It is loaded when the screen is there already. */
export interface WorkingSession {
  readonly opened: OpenedSession;
  readonly init: InitEvent;
  readonly history: readonly LoggedEvent[];
  /** The calls that wait for the user. */
  approvals(): readonly Approval[];
  /** Appends a message of the user; the first one with where the session works. */
  send(text: string): Promise<void>;
  /** Works until something ends it. @throws what is no failure of the run, such as a `ConversationBusyError`. */
  run(signal: AbortSignal): Promise<RunEnding>;
}

/** Opens a session, a new one or one that was found. @throws as `openSession` does. */
export async function openWorkingSession(
  found: ListedSession | undefined,
  flags: RunFlags,
  surroundings: CommandSurroundings,
  { onLogged, onDelta, ...listeners }: WorkListeners,
): Promise<WorkingSession> {
  const opened = await openSession(found, { ...flags, onAsk: flags.onAsk ?? 'wait' }, surroundings, listeners);
  const { conversation } = opened;
  const translation = new StreamTranslation([]);
  const history = conversation.events.slice().map((event) => ({ event, told: translation.follow(event) }));
  let totals = noTotals;
  conversation.events.observe((event) => {
    totals = withEvent(totals, event);
    onLogged({ event, told: translation.follow(event) });
  });
  let hasBegun = false;
  const begin = async (text: string | undefined): Promise<void> => {
    await opened.begin(text);
    hasBegun = true;
  };
  return {
    opened,
    init: initEvent(opened, found !== undefined),
    history,
    approvals: () => conversation.waitingActions.map(approvalOf),
    send: (text) => (hasBegun ? conversation.send(text) : begin(text)),
    async run(signal) {
      if (!hasBegun) await begin(undefined);
      totals = noTotals;
      return runToEnd(opened, { signal, onDelta, costUsd: () => totals.costUsd });
    },
  };
}

function approvalOf({ id, toolCall, summary, securityRisk: risk }: ActionEvent): Approval {
  return { id, name: toolCall.name, arguments: toolCall.arguments, summary, risk, reason: 'No rule allows it.' };
}
