import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { modelCalls, readSessions } from '../src/import/index.js';
import type { Session } from '../src/import/index.js';

const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] === 'true';
/** A replay costs the square of a session's length. `npm test` takes as many calls as have every condenser act, CI's thorough run more. */
const mostModelCalls = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 100 : 70;

/** Which of the real sessions {@link recordedSessions} gives, for the titles of tests. */
export const extent = isLongRun ? 'all of them' : `the first of each kind, ${mostModelCalls} model calls of it`;

/**
 * The real sessions below a folder, one kind in each subfolder: those in the first file of each kind, up to a number of model
 * calls. All of them, and whole, in a long run (`npm run test:long`).
 */
export async function* recordedSessions(folder: string): AsyncGenerator<Session> {
  if (isLongRun) yield* readSessions(folder);
  else {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) yield* sessionsOfFirstFile(join(folder, entry.name));
    }
  }
}

async function* sessionsOfFirstFile(folder: string): AsyncGenerator<Session> {
  let first: string | undefined;
  for await (const session of readSessions(folder)) {
    first ??= session.file;
    if (session.file !== first) return;
    const end = modelCalls(session.events)[mostModelCalls];
    yield { ...session, events: session.events.slice(0, end) };
  }
}
