import { homedir } from 'node:os';
import { basename, dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cutToWidth, printableLine, terminalWidth } from '@palimpsest/terminal';
import { findSessions } from '../import/find-sessions.js';
import type { FoundSession, FoundSessions, SessionAgent } from '../import/find-sessions.js';
import { ownFile } from '../own-package.js';
import { count, number } from './number-text.js';
import type { Progress } from './progress.js';

const agentNames: Readonly<Record<SessionAgent, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  openhands: 'OpenHands',
  pi: 'pi',
  opencode: 'opencode',
};
const widestName = Math.max(...Object.values(agentNames).map(({ length }) => length));

/** The number of sessions that are listed one by one. */
const listedSessions = 5;

/** A long session that a program made, and a short one of our agent. The build writes them. */
const sample = fileURLToPath(ownFile('dist/sample'));

/** The places that are replayed. */
export interface Places {
  readonly places: readonly string[];
  /** The sessions of this machine. Undefined if the places were named. */
  readonly found: FoundSessions | undefined;
}

/**
 * Returns the named paths; without one the sessions of this machine's agents, the newest first; without those the sample. Says what was found.
 *
 * @param options - `newest`: as for {@link findSessions}
 */
export async function placesOrFound(
  paths: readonly string[],
  { shown, ...options }: { readonly shown: Pick<Progress, 'line'>; readonly newest?: number },
): Promise<Places> {
  if (paths.length > 0) return { places: paths, found: undefined };
  const found = await findSessions(options);
  const isSample = found.sessions.length === 0;
  shown.line(isSample ? noSessionText(found) : foundSessionsText(found, terminalWidth(process.stderr)));
  return { places: isSample ? [sample] : found.sessions.map(({ path }) => path), found };
}

function noSessionText(found: FoundSessions): string {
  return [
    'No recorded session of an agent is on this machine. These places were searched:',
    logFoldersText(found),
    'Logs that are elsewhere: npx palimpsest-harness <file or folder>',
    'Instead, a sample: a long session that a program made, and a short one of our agent.',
  ].join('\n');
}

/** Says how many sessions of which agent were found, and which are the newest. Unit of `width`: columns. */
export function foundSessionsText({ sessions, more, folders }: FoundSessions, width: number): string {
  const byAgent = new Map<SessionAgent, number>();
  for (const { agent, sessions: found } of folders)
    if (found > 0) byAgent.set(agent, (byAgent.get(agent) ?? 0) + found);
  const agents = [...byAgent].map(([agent, found]) => `${agentNames[agent]} ${number(found)}`);
  const all = sessions.length + more;
  const listed = sessions.slice(0, listedSessions).map((session) => cutToWidth(`  ${sessionLine(session)}`, width));
  const rest = all - listed.length;
  return [
    `${count(all, 'recorded session')} on this machine: ${agents.join(', ')}`,
    ...listed,
    ...(rest > 0 ? [`  and ${number(rest)} older`] : []),
    ...(more > 0 ? [`The newest ${number(sessions.length)} are replayed.`] : []),
  ].join('\n');
}

function sessionLine({ agent, path, modifiedAt, size }: FoundSession): string {
  // The clock of the user, written the same everywhere.
  const time = new Date(modifiedAt).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  const place = printableLine(`${basename(dirname(path))}/${basename(path)}`);
  return `${time}  ${sizeText(size).padStart(8)}  ${agentNames[agent].padEnd(widestName)}  ${place}`;
}

function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Says where each agent keeps its logs on this machine, and what is wrong with a folder that cannot be read. */
export function logFoldersText({ folders }: Pick<FoundSessions, 'folders'>): string {
  const home = homedir();
  return folders
    .map(({ agent, folder, problem }) => {
      const place = folder.startsWith(home + sep) ? `~${folder.slice(home.length)}` : folder;
      return `  ${agentNames[agent].padEnd(widestName)}  ${place}${problem === undefined ? '' : `: ${problem}`}`;
    })
    .join('\n');
}
