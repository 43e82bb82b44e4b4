import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readSessions } from '../src/import/index.js';
import type { Session } from '../src/import/index.js';
import { modelCalls } from '../src/import/log/model-calls.js';

const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] === 'true';
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
const callsOfThoroughRun = 100;
/** Some files hold many sessions, which are alike. */
const sessionsOfFile = isThorough ? Infinity : 2;

/** Which of the real sessions {@link recordedSessions} gives, for the titles of tests. */
export const extent = isLongRun
  ? 'all of them'
  : `the first of each kind, ${isThorough ? callsOfThoroughRun : 'some'} model calls of it`;

/**
 * Returns the real sessions below a folder, one kind in each subfolder: the first ones of the first file of each kind,
 * up to a number of model calls. A replay costs the square of a session's length, so each test says how many calls it
 * needs to see everything act; CI's thorough run has 100, and all sessions of the file. All sessions, and whole, in a
 * long run (`npm run test:long`).
 */
export async function* recordedSessions(folder: string, mostModelCalls: number): AsyncGenerator<Session> {
  if (isLongRun) yield* readSessions(folder);
  else {
    const calls = isThorough ? callsOfThoroughRun : mostModelCalls;
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) yield* sessionsOfFirstFile(join(folder, entry.name), calls);
    }
  }
}

async function* sessionsOfFirstFile(folder: string, mostModelCalls: number): AsyncGenerator<Session> {
  let first: string | undefined;
  let count = 0;
  for await (const session of readSessions(folder)) {
    first ??= session.file;
    if (session.file !== first || ++count > sessionsOfFile) return;
    const end = modelCalls(session.events)[mostModelCalls];
    yield { ...session, events: session.events.slice(0, end) };
  }
}
