import { open } from 'node:fs/promises';
import path from 'node:path';
import type { EventStore } from '@palimpsest/events';
import { memoryEventStore } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { field, textOf } from '@palimpsest/messages';
import type { PiContext } from './pi-api.js';

/** The session that a session was forked from, through all forks; or itself. Forks share what was condensed before them. */
export interface RootSession {
  readonly id: string;
  /** Its file. Undefined for a session that pi does not keep. */
  readonly file: string | undefined;
}

/** A chain of forks that is longer is cut: it may be a circle. */
const mostForks = 50;

/** Returns the first session of the forks that lead to this one. */
export async function rootOf(ctx: PiContext): Promise<RootSession> {
  const { sessionManager } = ctx;
  let root: RootSession = { id: sessionManager.getSessionId(), file: sessionManager.getSessionFile() };
  let parent = textOf(sessionManager.getHeader?.()?.parentSession);
  for (let forks = 0; parent !== undefined && forks < mostForks; forks++) {
    const header = await headerOf(parent);
    const id = textOf(field(header, 'id'));
    if (id === undefined) break;
    root = { id, file: parent };
    parent = textOf(field(header, 'parentSession'));
  }
  return root;
}

/**
 * Returns the store of our events: a folder beside the session, so that pi's own files stay as they are. It holds what was condensed and
 * what was sent when, not the conversation.
 */
export function storeOf({ file }: RootSession): EventStore {
  if (file === undefined) return memoryEventStore();
  return fileEventStore({ directory: path.join(path.dirname(file), 'palimpsest'), onRepair: () => undefined });
}

/** The first line of a session's file. Undefined if there is none. */
async function headerOf(file: string): Promise<unknown> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
      const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
      return JSON.parse(line) as unknown;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

const headerBytes = 8_192;
