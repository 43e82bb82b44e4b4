import { randomInt } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileEventStore } from '@palimpsest/events/file';
import type { FileEventStore } from '@palimpsest/events/file';
import { SessionError } from './errors.js';

/** The place of one session: a folder with its log, whole outputs, and the files before the agent changed them. */
export interface Session {
  /** Also the id of the conversation. */
  readonly id: string;
  /** All of it. Absolute. */
  readonly folder: string;
  /** The events, as JSON Lines. */
  readonly log: string;
  /** What is known of the session without its log, which says the same. */
  readonly record: string;
  /** Whole texts of long outputs. */
  readonly outputs: string;
  /** The edit history. */
  readonly files: string;
  readonly store: FileEventStore;
}

/** The session with this id, whether it exists or not. */
export function sessionAt(root: string, id: string): Session {
  const folder = join(root, id);
  return {
    id,
    folder,
    log: join(folder, `${id}.jsonl`),
    record: join(folder, 'session.json'),
    outputs: join(folder, 'outputs'),
    files: join(folder, 'files'),
    store: fileEventStore({ directory: folder }),
  };
}

/**
 * Makes the folder of a new session, which only the user can open.
 *
 * @throws {@link SessionError} when it cannot be made.
 */
export async function createSession(root: string, newId: () => string = newSessionId): Promise<Session> {
  try {
    await makeFolders(root);
    for (;;) {
      const session = sessionAt(root, newId());
      try {
        await mkdir(session.folder, { mode: 0o700 });
        return session;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  } catch (cause) {
    const { message } = cause as Error;
    throw new SessionError(`Cannot make a session in '${root}': ${message}. XDG_STATE_HOME names another place.`, {
      folder: root,
      cause,
    });
  }
}

/** Not by Node's recursive `mkdir`, which does not end below `/proc`. */
async function makeFolders(folder: string): Promise<void> {
  const made = await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => error);
  if (made === undefined || made.code === 'EEXIST') return;
  const parent = dirname(folder);
  if (made.code !== 'ENOENT' || (await stat(parent).catch(() => undefined)) !== undefined) throw made;
  await makeFolders(parent);
  await mkdir(folder, { mode: 0o700 });
}

/** Without letters that look like digits, and short enough to be typed. Eight of them are 38 bits. */
const letters = '23456789abcdefghjkmnpqrstvwxyz';

function newSessionId(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}
