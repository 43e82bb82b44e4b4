import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { messageOf } from '../harness-error.js';
import { objectOf } from './log/json.js';
import { openOpencodeDatabase, sessionAddress } from './opencode-database.js';
import { isDatabaseName } from './log/opencode-session.js';

/** Options of {@link findSessions}. */
export interface FindSessionsOptions {
  /** The number of sessions wanted. @defaultValue 50 */
  readonly newest?: number;
  /** @defaultValue the user's home */
  readonly home?: string;
  /** The variables that move the folders. @defaultValue `process.env` */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** A session on this machine. */
export interface FoundSession {
  readonly agent: SessionAgent;
  /** What {@link readSessions} takes: a file, or the address of a session in opencode's database. */
  readonly path: string;
  /** When the session was last written. Unit: milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The size of the file. Absent for a session that is not one file. Unit: bytes. */
  readonly size?: number;
}

/** A place where sessions were looked for. */
export interface SearchedFolder {
  readonly agent: SessionAgent;
  readonly folder: string;
  /** The number of sessions found there. */
  readonly sessions: number;
  /** The reason why the folder, or a part of it, could not be read. Absent for a folder that does not exist. */
  readonly problem?: string;
}

/** The result of {@link findSessions}. */
export interface FoundSessions {
  /** The newest sessions, the newest first. */
  readonly sessions: readonly FoundSession[];
  /** The number of older sessions, which were left out. */
  readonly more: number;
  /** All places that were searched, also those that do not exist. */
  readonly folders: readonly SearchedFolder[];
}

/**
 * Finds the sessions that agents have kept on this machine and returns the newest ones: Claude Code, Codex, pi, Gemini CLI, OpenHands,
 * opencode. Lists folders and reads the list of sessions in opencode's database; no session is opened. What cannot be read is reported in
 * `folders`.
 */
export async function findSessions(options: FindSessionsOptions = {}): Promise<FoundSessions> {
  const { newest = 50, home = homedir(), environment = process.env, signal } = options;
  const { folders: sessionFolders, opencode } = placesOf(home, environment);
  const found = new Map<string, FoundSession>();
  const folders: SearchedFolder[] = [];
  const add = (agent: SessionAgent, folder: string, { sessions, problem }: Listing): void => {
    for (const session of sessions) found.set(session.path, session);
    folders.push({ agent, folder, sessions: sessions.length, ...(problem === undefined ? {} : { problem }) });
  };
  const databases = await databasesOf(opencode);
  for (const database of databases) add('opencode', database, await sessionsOfDatabase(database));
  for (const place of sessionFolders) {
    // opencode moves what is in its storage folder into its database, and leaves the files where they are.
    if (place.agent === 'opencode' && databases.length > 0) continue;
    add(place.agent, place.folder, await sessionsIn(place, signal));
  }
  const all = [...found.values()].sort(newestFirst);
  return { sessions: all.slice(0, newest), more: Math.max(0, all.length - newest), folders };
}

/** Sessions written at the same time are sorted by path, so that the order is the same on every run. */
function newestFirst(one: FoundSession, other: FoundSession): number {
  return other.modifiedAt - one.modifiedAt || (one.path < other.path ? -1 : 1);
}

interface Listing {
  readonly sessions: readonly FoundSession[];
  readonly problem?: string | undefined;
}

async function sessionsIn(place: SessionFolder, signal: AbortSignal | undefined): Promise<Listing> {
  const sessions: FoundSession[] = [];
  let problem: string | undefined;
  const unread: string[] = [place.folder];
  for (let folder = unread.pop(); folder !== undefined; folder = unread.pop()) {
    signal?.throwIfAborted();
    try {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        // Links to folders are not followed: they may lead back.
        if (entry.isDirectory()) unread.push(path);
        else if (place.isSession(relative(place.folder, path).replaceAll('\\', '/'))) {
          const status = await statusOfFile(path);
          if (status === undefined) continue;
          const size = place.isWholeSession ? { size: status.size } : {};
          sessions.push({ agent: place.agent, path, modifiedAt: status.mtimeMs, ...size });
        }
      }
    } catch (error) {
      if (objectOf(error)['code'] !== 'ENOENT') problem = messageOf(error);
    }
  }
  // A session that later versions go on with is copied from its `.json` into a `.jsonl`.
  const paths = new Set(sessions.map(({ path }) => path));
  return { sessions: sessions.filter(({ path }) => !paths.has(`${path}l`)), problem };
}

async function databasesOf({ folder, database }: Places['opencode']): Promise<readonly string[]> {
  if (database !== undefined) return (await statusOfFile(database)) === undefined ? [] : [database];
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => isDatabaseName(entry.name)).map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

async function sessionsOfDatabase(database: string): Promise<Listing> {
  try {
    const opened = await openOpencodeDatabase(database);
    try {
      const sessions = opened
        .sessions()
        .map(({ id, modifiedAt }) => ({ agent: 'opencode' as const, path: sessionAddress(database, id), modifiedAt }));
      return { sessions };
    } finally {
      await opened.close();
    }
  } catch (error) {
    return { sessions: [], problem: messageOf(error) };
  }
}

/** Returns the status of a file; `undefined` for what is empty, no regular file, or gone since its folder was listed. */
async function statusOfFile(path: string): Promise<Stats | undefined> {
  try {
    const status = await stat(path);
    return status.isFile() && status.size > 0 ? status : undefined;
  } catch {
    return undefined;
  }
}

/** The agents whose sessions are found on this machine. */
export type SessionAgent = 'claude-code' | 'codex' | 'gemini-cli' | 'openhands' | 'pi' | 'opencode';

/** A folder where an agent keeps its sessions. */
interface SessionFolder {
  readonly agent: SessionAgent;
  readonly folder: string;
  /** True for the name of a file that is one session. The path is relative to the folder and uses `/`. */
  isSession(relativePath: string): boolean;
  /** False if that file only begins a session and the rest of it is in other files. */
  readonly isWholeSession: boolean;
}

/** Where agents keep their sessions. Whether a place exists is not checked. */
interface Places {
  readonly folders: readonly SessionFolder[];
  /** The folder of opencode's databases, and the one that a variable names. */
  readonly opencode: { readonly folder: string; readonly database: string | undefined };
}

const isJsonl = (path: string): boolean => path.endsWith('.jsonl');
/** Codex names its logs `rollout-<time>-<id>.jsonl`. */
const isRollout = (path: string): boolean => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path);
/** `<project>/chats/session-<time>-<id>.json`, of later versions `.jsonl`; a sub-agent's has the folder of its parent. */
const isGeminiChat = (path: string): boolean => /^[^/]+\/chats\/(?:[^/]+\/[^/]+|session-[^/]+)\.jsonl?$/.test(path);
/** `<conversation>/base_state.json`; its events stand in a folder beside it. */
const isConversation = (path: string): boolean => /^[^/]+\/base_state\.json$/.test(path);
/** `<project>/<session>.json`; the messages of a session are in other folders. */
const isOpencodeSession = (path: string): boolean => /^[^/]+\/ses_[^/]*\.json$/.test(path);

/**
 * Returns the places where agents keep their sessions, with the variables that move them: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`,
 * `PI_CODING_AGENT_DIR`, `PI_CODING_AGENT_SESSION_DIR`, `OPENHANDS_PERSISTENCE_DIR`, `OPENHANDS_CONVERSATIONS_DIR`,
 * `GEMINI_CLI_HOME`, `XDG_CONFIG_HOME`, `XDG_DATA_HOME` and `OPENCODE_DB`, of which a relative value is a file in opencode's folder.
 */
function placesOf(home: string, environment: Readonly<Record<string, string | undefined>>): Places {
  const valueOf = (name: string): string => environment[name]?.trim() ?? '';
  /** The path in a variable, with `~` resolved. Empty and relative values are ignored, as the XDG specification asks. */
  const variable = (name: string): string | undefined => {
    const value = valueOf(name);
    const path = value === '~' || value.startsWith('~/') ? join(home, value.slice(1)) : value;
    return isAbsolute(path) ? path : undefined;
  };
  const configHome = variable('XDG_CONFIG_HOME') ?? join(home, '.config');
  const opencode = join(variable('XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'opencode');
  const claude = variable('CLAUDE_CONFIG_DIR');
  const codex = variable('CODEX_HOME') ?? join(home, '.codex');
  const pi = variable('PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent');
  const openHands = variable('OPENHANDS_PERSISTENCE_DIR') ?? join(home, '.openhands');
  const database = valueOf('OPENCODE_DB');
  const isFile = database !== '' && database !== ':memory:';
  return {
    folders: [
      ...(claude === undefined ? [join(home, '.claude'), join(configHome, 'claude')] : [claude]).map((folder) => ({
        agent: 'claude-code' as const,
        folder: join(folder, 'projects'),
        isSession: isJsonl,
        isWholeSession: true,
      })),
      { agent: 'codex', folder: join(codex, 'sessions'), isSession: isRollout, isWholeSession: true },
      { agent: 'codex', folder: join(codex, 'archived_sessions'), isSession: isRollout, isWholeSession: true },
      {
        agent: 'pi',
        folder: variable('PI_CODING_AGENT_SESSION_DIR') ?? join(pi, 'sessions'),
        isSession: isJsonl,
        isWholeSession: true,
      },
      {
        agent: 'gemini-cli',
        folder: join(variable('GEMINI_CLI_HOME') ?? home, '.gemini', 'tmp'),
        isSession: isGeminiChat,
        isWholeSession: true,
      },
      {
        agent: 'openhands',
        folder: variable('OPENHANDS_CONVERSATIONS_DIR') ?? join(openHands, 'conversations'),
        isSession: isConversation,
        isWholeSession: false,
      },
      {
        agent: 'opencode',
        folder: join(opencode, 'storage', 'session'),
        isSession: isOpencodeSession,
        isWholeSession: false,
      },
    ],
    opencode: { folder: opencode, database: isFile ? resolve(opencode, database) : undefined },
  };
}
