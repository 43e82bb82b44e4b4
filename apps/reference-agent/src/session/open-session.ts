import { rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Conversation } from '@palimpsest/agent';
import type { Agent } from '@palimpsest/agent';
import { EventStoreError } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Delta, FailedAttempt, LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { openWorkspace } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';
import { codingAgent } from '../agent/coding-agent.js';
import type { CodingAgent } from '../agent/coding-agent.js';
import type { McpListener } from '../agent/mcp.js';
import { chooseModels, withCallCount } from '../agent/models.js';
import { settingFlags, UsageError } from '../context.js';
import type { CliContext, RunFlags } from '../context.js';
import { loadSettings, namedAddress } from '../settings/load-settings.js';
import type { FileDiff } from '@palimpsest/tools/diff';
import type { LoggedEvent } from './session-events.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { sessionsFolder } from '../settings/user-folders.js';
import { createSession, isDamage, sessionSettingsEvent, whyUnreadable } from './session.js';
import type { ListedSession, Session, SessionRecord, SessionSettings } from './session.js';

/** A session with an agent that can go on with it. */
export interface OpenedSession extends Pick<CodingAgent, 'skills' | 'permitted' | 'mcp' | 'notes'> {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly workspace: Workspace;
  /** The model's name, as its provider knows it. */
  readonly model: string;
  /** The address of its server, if one is named. Without a password. */
  readonly baseUrl: string | undefined;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** The agent: its model, its condenser, its tools as the model reads of them. */
  readonly agent: Agent;
  /** Writes summaries: the agent's own model where the settings name no other. */
  readonly smallLlm: LLM;
  /** With where each value is from. */
  readonly settings: LoadedSettings;
  /** Records where the session works, if its log does not say so, and appends the task. */
  begin(task: string | undefined): Promise<void>;
  /** Ends what the tools have started. */
  close(): Promise<void>;
}

/** The host's side of a session: what is reported to it besides the log, and what it is asked. Each callback may be absent. */
export interface SessionCallbacks extends McpListener {
  /** Called for each failed model call that is tried again. */
  readonly onRetry?: (failure: FailedAttempt) => void;
  /** Called when a model call begins (1) and when it ends (-1). */
  readonly onModelCall?: (purpose: 'agent' | 'condenser', change: 1 | -1) => void;
  /** Called for each event that an interactive session appends. */
  readonly onLogged?: (logged: LoggedEvent) => void;
  /** Called with each piece of an answer of an interactive session. */
  readonly onDelta?: (delta: Delta) => void;
  /** Called with what a call has changed in a file. `action` is the call's event. */
  readonly onDiff?: (action: string, diff: FileDiff) => void;
  /** Returns the rules that the user's answers have made for a folder since the program began. */
  readonly answers?: (folder: string) => readonly string[];
  /** True if the model can ask the user a question. @defaultValue false */
  readonly isInteractive?: boolean;
}

/** Parts of a session that a host gives in place of those that the settings name. */
export interface SessionParts {
  readonly session?: Session;
  readonly llm?: LLM;
  readonly condenser?: Condenser;
}

/**
 * Opens a session: a new one in the current folder, or one that exists, in its own folder and with its own model unless the flags
 * say otherwise. A new one is a folder, without an event until {@link OpenedSession.begin}.
 *
 * @throws {@link PalimpsestError} when the folder, the settings or the model are not usable; nothing has been made then.
 */
export async function openSession(
  found: ListedSession | undefined,
  flags: RunFlags,
  { env, cwd, interrupts, waits = {} }: CliContext,
  callbacks: SessionCallbacks,
  parts: SessionParts = {},
): Promise<OpenedSession> {
  // An unset variable of a script must not become the current folder.
  if (flags.cwd === '') throw new UsageError('--cwd is empty: name a folder.');
  const folder = flags.cwd === undefined ? (found?.record.workspace ?? cwd) : resolve(cwd, flags.cwd);
  const workspace = await openWorkspace(folder).catch((cause: unknown) => {
    const reason = (cause as Error).message.replace(/\.?$/, '.');
    throw new UsageError(`Cannot work in '${folder}': ${reason} --cwd names another folder.`, { cause });
  });
  const own = flags.model === undefined ? found?.record : undefined;
  const baseUrl = flags.baseUrl ?? own?.baseUrl;
  // A session whose model was at its provider's own address stays there, whatever address the settings name.
  const isProvidersAddress = flags.isProvidersAddress ?? (own?.model !== undefined && baseUrl === undefined);
  const named = { ...flags, model: flags.model ?? own?.model, baseUrl, isProvidersAddress };
  const loaded = await settingsOf(named, workspace, env);
  const { settings, notes, kept } = loaded;
  const { onRetry, onModelCall, answers } = callbacks;
  const { llm, smallLlm = llm } =
    parts.llm === undefined
      ? await chooseModels({ ...settings, smallBaseUrl: namedAddress(loaded) }, env, {
          onRetry,
          minDelayMs: waits.retryMs,
        })
      : { llm: parts.llm };
  const session = found?.session ?? parts.session ?? (await createSession(sessionsFolder(env)));
  const onAsk = flags.onAsk ?? found?.record.onAsk;
  const watched = (purpose: 'agent' | 'condenser') => (model: LLM) =>
    onModelCall === undefined ? model : withCallCount(model, (change) => onModelCall(purpose, change));
  const coding = await codingAgent({
    workspace,
    settings,
    llm: watched('agent')(llm),
    smallLlm,
    session,
    env,
    onAsk,
    yolo: flags.yolo,
    keptRules: kept.rules,
    answers: answers && (() => answers(workspace.root)),
    isInteractive: callbacks.isInteractive,
    mcpListener: callbacks,
    signal: interrupts.signal,
    condenser: parts.condenser,
    condenserModel: watched('condenser'),
  }).catch(async (error: unknown) => {
    await removeEmpty(session);
    throw error;
  });
  const { store, id, log } = session;
  const conversation = await Conversation.open({ ...coding.conversation, store, conversationId: id }).catch(
    async (error: unknown) => {
      await coding.close();
      throw isDamage(error) ? new EventStoreError(whyUnreadable(log, error), { file: log, cause: error }) : error;
    },
  );
  const place: SessionSettings = {
    workspace: workspace.root,
    model: settings.model ?? llm.model,
    baseUrl: withoutPassword(settings.baseUrl),
    ...(onAsk === undefined ? {} : { onAsk }),
  };
  return {
    session,
    conversation,
    workspace,
    model: llm.model,
    baseUrl: place.baseUrl,
    tools: [...coding.conversation.agent.tools.keys()],
    agent: coding.conversation.agent,
    smallLlm: watched('condenser')(smallLlm),
    settings: loaded,
    skills: coding.skills,
    permitted: coding.permitted,
    mcp: coding.mcp,
    notes: [...notes, ...coding.notes],
    async begin(task) {
      const event = coding.conversation.secrets(sessionSettingsEvent(place));
      if (!isSamePlace(found?.record, place)) await appendAlone(conversation, event);
      if (task !== undefined) await conversation.send(task);
    },
    async close() {
      await conversation.close();
      await coding.close();
      await removeEmpty(session);
    },
  };
}

/**
 * Loads the settings of a run in a workspace, with notes for the user. With `isProvidersAddress` an address that a flag or a file
 * names is among the origins alone.
 *
 * @throws the errors of `loadSettings`.
 */
async function settingsOf(
  given: RunFlags,
  { root }: Workspace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedSettings> {
  const flags = Object.fromEntries(settingFlags.map((name) => [name, given[name]]));
  const loaded = await loadSettings({ folder: root, env, flags, file: given.config });
  if (given.isProvidersAddress !== true) return loaded;
  const { baseUrl: _, ...settings } = loaded.settings;
  return { ...loaded, settings };
}

/** A session that never began is an empty folder. */
async function removeEmpty({ folder }: Session): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

function isSamePlace(record: SessionRecord | undefined, place: SessionSettings): boolean {
  return (
    record !== undefined &&
    record.workspace === place.workspace &&
    record.model === place.model &&
    record.baseUrl === place.baseUrl &&
    record.onAsk === place.onAsk
  );
}

/** Appends outside of a run. Another process that has the session open is named in the error. */
async function appendAlone({ events }: Conversation, event: Event): Promise<void> {
  const writer = await events.openForWriting();
  try {
    await events.append(event);
  } finally {
    await writer.close();
  }
}

/** Returns an address as it may be shown and recorded. One with a password has to be given again. */
export function withoutPassword(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { username, password } = new URL(address);
  return username === '' && password === '' ? address : undefined;
}
