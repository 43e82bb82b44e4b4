import { readFile } from 'node:fs/promises';
import { messageOf } from '../harness-error.js';
import type { HarnessError } from '../harness-error.js';
import { logReadError, unknownLogFormat } from './errors.js';
import { jsonValues } from './json-values.js';
import type { LogRecord, LogSample, LogSource, OpenLogOptions } from './log-format.js';
import type { LogLine } from './log-lines.js';
import { logLines } from './log-lines.js';
import { isObject } from './json-shape.js';
import { NoteTaker } from './note-taker.js';
import { databasePlace, databaseSource } from './opencode/database-source.js';

/** The size of the sample that recognises a log. Units: values and characters. */
const sampleSize = { values: 200, characters: 1 << 20 };

/**
 * Opens a log: one JSON value per line, one JSON document, or the database of opencode. A document is kept in memory; lines
 * are read in blocks, a database session by session.
 *
 * @throws {@link HarnessError} `unknown-log-format` when the file contains no JSON; {@link HarnessError} `log-read` when it cannot be read.
 */
export async function openLog(file: string, options: OpenLogOptions): Promise<LogSource> {
  const { signal } = options;
  const database = await databasePlace(file);
  if (database !== undefined) return databaseSource(database, file, options);
  const sample = (await sampleOfLines(file, signal)) ?? (await sampleOfDocument(file, options));
  const notes = new NoteTaker(file);
  return {
    ...sample,
    file,
    name: options.name ?? file,
    notes,
    records: (reading = {}) =>
      sample.document === undefined
        ? records(file, notes, reading.strict ?? false, signal)
        : single({ value: sample.document, line: 1, continues: false }),
  };
}

async function sampleOfLines(file: string, signal: AbortSignal | undefined): Promise<LogSample | undefined> {
  const head: unknown[] = [];
  let characters = 0;
  let lines = 0;
  let firstIsSound = false;
  for await (const { text } of logLines(file, signal)) {
    if (text.trim() === '') continue;
    lines++;
    const values = jsonValues(text).flatMap((piece) => ('broken' in piece ? [] : [piece.value]));
    if (lines === 1) firstIsSound = values.length > 0 && typeof values[0] === 'object';
    head.push(...values);
    characters += text.length;
    // The first line of a pretty-printed document is not sound JSON. Reading all of its lines is useless.
    if (!firstIsSound && lines >= 20) break;
    // At least two values: a single value is a document.
    if (head.length > 1 && (head.length >= sampleSize.values || characters >= sampleSize.characters)) break;
  }
  if (firstIsSound) return { head, document: lines === 1 && head.length === 1 ? head[0] : undefined };
  // If the first line is damaged, the objects after it identify the format, unless the whole file is one document.
  if (!head.some(isObject) || (await isDocument(file, signal))) return undefined;
  return { head, document: undefined };
}

async function isDocument(file: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    JSON.parse(await textOfFile(file, signal));
    return true;
  } catch {
    return false;
  }
}

async function sampleOfDocument(file: string, options: OpenLogOptions): Promise<LogSample> {
  const text = await textOfFile(file, options.signal);
  const unknown = (reason: string, cause?: unknown): HarnessError =>
    unknownLogFormat({ file, reason, knownFormats: options.knownFormats, cause });
  if (text.trim() === '') throw unknown('it is empty');
  try {
    const document = JSON.parse(text) as unknown;
    return { head: [document], document };
  } catch (error) {
    throw unknown('it is neither a JSON document nor JSON Lines', error);
  }
}

async function textOfFile(file: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const text = await readFile(file, { encoding: 'utf8', signal });
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw logReadError({ file, reason: messageOf(error), cause: error });
  }
}

async function* single(record: LogRecord): AsyncGenerator<LogRecord> {
  yield record;
}

async function* records(
  file: string,
  notes: NoteTaker,
  strict: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogRecord> {
  for await (const logLine of logLines(file, signal)) {
    if (logLine.text.trim() === '') continue;
    const pieces = jsonValues(logLine.text);
    const { line } = logLine;
    const sound = pieces.filter((piece) => !('broken' in piece)).length;
    if (sound > 1) notes.add('several-objects-on-a-line', `line ${line} holds ${sound} JSON values`, line);
    for (const piece of pieces) {
      if ('broken' in piece) noteBroken(piece.broken, logLine, { file, notes, strict });
      else yield { value: piece.value, line, continues: logLine.text.startsWith(' ') };
    }
  }
}

function noteBroken(
  broken: string,
  { line, terminated }: LogLine,
  log: { readonly file: string; readonly notes: NoteTaker; readonly strict: boolean },
): void {
  const what = `${broken.length} characters of line ${line}`;
  if (!terminated) {
    log.notes.add('torn-last-line', `${what}, the last, are not JSON and were left out`, line);
  } else if (log.strict) {
    throw logReadError({ file: log.file, line, reason: 'the line is not JSON' });
  } else {
    log.notes.add('not-json', `${what} are not JSON and were left out`, line);
  }
}
