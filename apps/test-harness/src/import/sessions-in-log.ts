import { isLLMConvertible, PalimpsestError, wellFormedEvent } from '@palimpsest/events';
import { logReadError, messageOf } from '../harness-error.js';
import { logFormats, unknownLogFormat } from './formats/index.js';
import { palimpsestJsonl } from './formats/palimpsest.js';
import type { ImportedSession, ImportNote, LogFormat, LogSource, Session, SkippedFile } from './log/session.js';

/**
 * Yields the sessions of an opened log, whose content determines its format. A log without a session is added to `skipped` with the reason.
 *
 * @throws {@link HarnessError} `unknown-log-format` when it has no known format; names the known formats.
 * @throws {@link HarnessError} `log-read` when it cannot be read, or is a Palimpsest log with a broken line.
 */
export async function* sessionsInLog(source: LogSource, skipped: SkippedFile[]): AsyncGenerator<Session> {
  const { file } = source;
  const format = logFormats.find((candidate) => candidate.recognise(source));
  if (format === undefined) throw unknownLogFormat(file, 'it is of none of the known formats');
  // A session is yielded after the next one is read, because notes at the end of the file belong to the last session.
  const names = new Set<string>();
  let waiting: Session | undefined;
  let orphanedNotes: readonly ImportNote[] = [];
  for await (const imported of imports(format, source)) {
    const notes = [...orphanedNotes, ...source.notes.take()];
    if (!imported.events.some(isLLMConvertible)) {
      orphanedNotes = notes;
      continue;
    }
    orphanedNotes = [];
    if (waiting !== undefined) yield waiting;
    let unique = imported.name;
    for (let copy = 2; names.has(unique); copy++) unique = `${imported.name}~${copy}`;
    names.add(unique);
    waiting = { name: unique, file, format: format.name, events: writtenEvents(imported, format), notes };
  }
  const rest = [...orphanedNotes, ...source.notes.take()];
  if (waiting === undefined)
    skipped.push({ file, reason: `there is no conversation in this '${format.name}' log`, notes: rest });
  else yield { ...waiting, notes: [...waiting.notes, ...rest] };
}

/** Returns the events to read. Those of Palimpsest's own log stay unchanged. Events made from other logs get text that every provider accepts. */
function writtenEvents({ events }: ImportedSession, format: LogFormat): ImportedSession['events'] {
  return format.name === palimpsestJsonl.name ? events : events.map((event) => wellFormedEvent(event));
}

/** Converts an unexpected exception of a reader into an error that names the log. */
async function* imports(format: LogFormat, source: LogSource): AsyncGenerator<ImportedSession> {
  try {
    yield* format.read(source);
  } catch (error) {
    if (PalimpsestError.isInstance(error) || (error instanceof Error && error.name === 'AbortError')) throw error;
    const reason = `the reader of '${format.name}' failed: ${messageOf(error)}`;
    throw logReadError({ file: source.file, reason, cause: error });
  }
}
