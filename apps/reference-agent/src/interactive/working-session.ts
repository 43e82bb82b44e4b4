import { isUserMessage } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { fileHistory } from '@palimpsest/tools';
import type { CommandSurroundings } from '../command-surroundings.js';
import { initEvent } from '../headless/init-event.js';
import { runToEnd } from '../headless/run-ending.js';
import type { RunEnding } from '../headless/run-ending.js';
import { SessionFigures } from '../output/figures.js';
import type { InitEvent } from '../output/stream-event.js';
import { StreamTranslation } from '../output/stream-translation.js';
import { openSession } from '../open-session.js';
import type { OpenedSession, SessionHolder } from '../open-session.js';
import type { RunFlags } from '../run-flags.js';
import { keepRule } from '../settings/kept-rules.js';
import { keptRulesFile } from '../settings/user-folders.js';
import { writeRecord } from '../sessions/record-file.js';
import type { ListedSession } from '../sessions/session-list.js';
import { approvalOf } from './approval.js';
import type { Approval } from './approval.js';
import type { FileDiff } from './file-diff.js';
import { madeChange } from './made-change.js';
import type { LoggedEvent } from './session-event.js';

/** Who holds a {@link WorkingSession}. */
export interface WorkHolder extends SessionHolder {
  readonly onLogged: (logged: LoggedEvent) => void;
  readonly onDelta: (delta: Delta) => void;
  readonly onDiff: (action: string, diff: FileDiff) => void;
}

/** A session that is open, with all that is needed to work in it. It is loaded when the screen is there already. */
export interface WorkingSession {
  readonly opened: OpenedSession;
  readonly init: InitEvent;
  readonly history: readonly LoggedEvent[];
  /** The calls that wait for the user. */
  approvals(): Promise<readonly Approval[]>;
  /** What a call has changed in a file. */
  diffOf(actionId: string): Promise<FileDiff | undefined>;
  /** Keeps a rule for the folder, for every session to come. @throws {@link InvalidSettingsError} when it cannot be written. */
  keep(rule: string): Promise<void>;
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
  { onLogged, onDelta, onDiff, ...holder }: WorkHolder,
): Promise<WorkingSession> {
  const opened = await openSession(found, { ...flags, onAsk: flags.onAsk ?? 'wait' }, surroundings, holder);
  const { conversation, session, workspace } = opened;
  const { events } = conversation;
  const translation = new StreamTranslation([]);
  const history = events.slice().map((event) => ({ event, told: translation.follow(event) }));
  const records = { events, history: fileHistory({ directory: session.files }) };
  let run = new SessionFigures();
  events.observe((event) => {
    run.append(event);
    onLogged({ event, told: translation.follow(event) });
    const actionId = event.type === 'observation' ? event.actionId : undefined;
    if (actionId === undefined) return;
    void madeChange(actionId, records).then((diff) => {
      if (diff !== undefined) onDiff(actionId, diff);
    });
  });
  let hasBegun = false;
  const begin = async (): Promise<void> => {
    if (!hasBegun) await opened.begin(undefined);
    hasBegun = true;
  };
  return {
    opened,
    init: initEvent(opened, found !== undefined),
    history,
    approvals: () => Promise.all(conversation.waitingActions.map((action) => approvalOf(action, opened))),
    diffOf: (actionId) => madeChange(actionId, records),
    keep: (rule) => keepRule(keptRulesFile(surroundings.env), workspace.root, rule),
    async send(text) {
      await begin();
      const isFirst = !events.slice().some(isUserMessage);
      await conversation.send(text);
      if (isFirst) await writeRecord(session, events);
    },
    async run(signal) {
      await begin();
      run = new SessionFigures();
      return runToEnd(opened, { signal, onDelta, costUsd: () => run.costUsd });
    },
  };
}
