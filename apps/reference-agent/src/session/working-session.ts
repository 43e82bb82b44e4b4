import type { ActionEvent, ToolCall } from '@palimpsest/events';
import { fileHistory, previewChange } from '@palimpsest/tools';
import type { CliContext, RunFlags } from '../context.js';
import type { InitEvent } from '../output/stream-event.js';
import { StreamTranslation } from '../output/stream-translation.js';
import { appliedDiff, fileDiff } from '@palimpsest/tools/diff';
import type { FileDiff } from '@palimpsest/tools/diff';
import { saveRule } from '../settings/user-files.js';
import { savedRulesFile } from '../settings/user-folders.js';
import { openSession } from './open-session.js';
import type { OpenedSession, SessionCallbacks } from './open-session.js';
import { initEvent, runToEnd } from './run-to-end.js';
import type { RunEnding } from './run-to-end.js';
import type { Approval, LoggedEvent } from './session-events.js';
import type { ListedSession } from './session.js';

/** A session that is open, with all that is needed to work in it. It is loaded when the screen is there already. */
export interface WorkingSession {
  readonly opened: OpenedSession;
  readonly init: InitEvent;
  readonly history: readonly LoggedEvent[];
  /** Returns the calls that wait for the user. */
  approvals(): Promise<readonly Approval[]>;
  /** Returns the change of a file that a call made. */
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
  context: CliContext,
  callbacks: SessionCallbacks,
): Promise<WorkingSession> {
  const opened = await openSession(found, { ...flags, onAsk: flags.onAsk ?? 'wait' }, context, callbacks);
  const { onLogged, onDelta, onDiff } = callbacks;
  const { conversation, session, workspace } = opened;
  const { events } = conversation;
  const translation = new StreamTranslation([]);
  const history = events.slice().map((event) => ({ event, told: translation.follow(event) }));
  const records = { events, history: fileHistory({ directory: session.files }) };
  events.observe((event) => {
    onLogged?.({ event, told: translation.follow(event) });
    const actionId = event.type === 'observation' ? event.actionId : undefined;
    if (actionId === undefined) return;
    void appliedDiff(actionId, records).then((diff) => {
      if (diff !== undefined) onDiff?.(actionId, diff);
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
    diffOf: (actionId) => appliedDiff(actionId, records),
    keep: (rule) => saveRule(savedRulesFile(context.env), workspace.root, rule),
    async send(text) {
      await begin();
      await conversation.send(text);
    },
    async run(signal) {
      await begin();
      return runToEnd(opened, { signal, onDelta });
    },
  };
}

/** Larger files are not compared before an answer. Unit: bytes. */
const maxPreviewBytes = 2_000_000;

/** Returns the display of a call that waits, as the workspace is now. */
async function approvalOf(
  { id, toolCall, summary, securityRisk: risk }: ActionEvent,
  { workspace, permitted }: Pick<OpenedSession, 'workspace' | 'permitted'>,
): Promise<Approval> {
  const call = { toolName: toolCall.name, input: inputOf(toolCall) };
  const change = await previewChange(workspace, call, { maxBytes: maxPreviewBytes });
  return {
    id,
    name: toolCall.name,
    arguments: toolCall.arguments,
    summary,
    risk,
    reason: permitted.reason(call),
    diff: change === undefined ? undefined : fileDiff(change.path, change.before, change.after),
    proposedRule: permitted.propose(call),
  };
}

/** The input of a call. Undefined if its arguments are no JSON. */
function inputOf({ arguments: json }: ToolCall): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
