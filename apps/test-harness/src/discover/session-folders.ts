import { isAbsolute, join, resolve } from 'node:path';

/** The agents whose sessions are found on this machine. */
export type SessionAgent = 'claude-code' | 'codex' | 'pi' | 'opencode';

/** A folder where an agent keeps its sessions. */
export interface SessionFolder {
  readonly agent: SessionAgent;
  readonly folder: string;
  /** True for the name of a file that is one session. The path is relative to the folder and uses `/`. */
  isSession(relativePath: string): boolean;
}

/** The places where opencode has its database. */
export interface OpencodeData {
  readonly folder: string;
  /** The database that a variable names. @defaultValue every database in the folder */
  readonly database: string | undefined;
}

/**
 * Where opencode keeps its database: in `$XDG_DATA_HOME/opencode`, or where `OPENCODE_DB` says. A relative value of the
 * variable is a file in that folder.
 */
export function opencodeData(surroundings: Surroundings): OpencodeData {
  const folder = join(dataHome(surroundings), 'opencode');
  const named = surroundings.environment['OPENCODE_DB']?.trim() ?? '';
  const isFile = named !== '' && named !== ':memory:';
  return { folder, database: isFile ? resolve(folder, named) : undefined };
}

function dataHome(surroundings: Surroundings): string {
  return pathOf(surroundings, 'XDG_DATA_HOME') ?? join(surroundings.home, '.local', 'share');
}

/** The variables that move these folders, and where the user's home is. */
export interface Surroundings {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const isJsonl = (path: string): boolean => path.endsWith('.jsonl');
/** Codex names its logs `rollout-<time>-<id>.jsonl`. */
const isRollout = (path: string): boolean => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path);
/** `<project>/<session>.json`; the messages of a session are in other folders. */
const isOpencodeSession = (path: string): boolean => /^[^/]+\/ses_[^/]*\.json$/.test(path);

/**
 * The folders in which agents keep their sessions, with the variables that move them: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`,
 * `PI_CODING_AGENT_DIR`, `PI_CODING_AGENT_SESSION_DIR`, `XDG_CONFIG_HOME` and `XDG_DATA_HOME`. Whether a folder exists is
 * not checked.
 */
export function sessionFolders(surroundings: Surroundings): readonly SessionFolder[] {
  const { home } = surroundings;
  const variable = (name: string): string | undefined => pathOf(surroundings, name);
  const configHome = variable('XDG_CONFIG_HOME') ?? join(home, '.config');
  const claudeFolders = [variable('CLAUDE_CONFIG_DIR')].filter((folder) => folder !== undefined);
  if (claudeFolders.length === 0) claudeFolders.push(join(home, '.claude'), join(configHome, 'claude'));
  const codex = variable('CODEX_HOME') ?? join(home, '.codex');
  const pi =
    variable('PI_CODING_AGENT_SESSION_DIR') ??
    join(variable('PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'), 'sessions');
  return [
    ...claudeFolders.map((folder) => ({
      agent: 'claude-code' as const,
      folder: join(folder, 'projects'),
      isSession: isJsonl,
    })),
    { agent: 'codex', folder: join(codex, 'sessions'), isSession: isRollout },
    { agent: 'codex', folder: join(codex, 'archived_sessions'), isSession: isRollout },
    { agent: 'pi', folder: pi, isSession: isJsonl },
    {
      agent: 'opencode',
      folder: join(dataHome(surroundings), 'opencode', 'storage', 'session'),
      isSession: isOpencodeSession,
    },
  ];
}

/** The path in a variable, with `~` resolved. Empty and relative values are ignored, as the XDG specification asks. */
function pathOf({ home, environment }: Surroundings, name: string): string | undefined {
  const value = environment[name]?.trim() ?? '';
  const path = value === '~' || value.startsWith('~/') ? join(home, value.slice(1)) : value;
  return isAbsolute(path) ? path : undefined;
}
