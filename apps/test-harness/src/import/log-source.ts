import { logReadError, messageOf } from '../harness-error.js';
import { unknownLogFormat } from './formats/index.js';
import { isObject, jsonValues } from './log/json.js';
import { NoteTaker } from './log/session.js';
import type { LogRecord, LogSample, LogSource, NeighbouringFiles, OpenLogOptions } from './log/session.js';

/** The size of the sample that recognises a log. Units: values and characters. */
const sampleSize = { values: 200, characters: 1 << 20 };

/** The text of a log, wherever it stands. */
export interface LogText {
  /** The path, for messages. */
  readonly file: string;
  /** The text, in blocks of any size. Each call begins anew. */
  blocks(): AsyncIterable<string>;
  /** @defaultValue none */
  readonly neighbours?: NeighbouringFiles | undefined;
}

/**
 * Opens the text of a log: one JSON value per line, or one JSON document. A document is kept in memory; lines are read in blocks.
 *
 * @throws {@link HarnessError} `unknown-log-format` when the text contains no JSON; {@link HarnessError} `log-read` when it cannot be read.
 */
export async function openLogText(text: LogText, { name, signal }: OpenLogOptions): Promise<LogSource> {
  const sample = (await sampleOfLines(text, signal)) ?? (await sampleOfDocument(text, signal));
  const { file, neighbours } = text;
  const notes = new NoteTaker(file);
  return {
    ...sample,
    file,
    name,
    notes,
    neighbours,
    records: (reading = {}) =>
      sample.document === undefined
        ? records(text, notes, reading.strict ?? false, signal)
        : single({ value: sample.document, line: 1, continues: false }),
  };
}

async function sampleOfLines(log: LogText, signal: AbortSignal | undefined): Promise<LogSample | undefined> {
  const head: unknown[] = [];
  let characters = 0;
  let lines = 0;
  let firstIsSound = false;
  for await (const { text } of logLines(log, signal)) {
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
  if (!head.some(isObject) || (await isDocument(log, signal))) return undefined;
  return { head, document: undefined };
}

async function isDocument(log: LogText, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    JSON.parse(await wholeText(log, signal));
    return true;
  } catch {
    return false;
  }
}

async function sampleOfDocument(log: LogText, signal: AbortSignal | undefined): Promise<LogSample> {
  const { file } = log;
  const text = await wholeText(log, signal);
  if (text.trim() === '') throw unknownLogFormat(file, 'it is empty');
  try {
    const document = JSON.parse(text) as unknown;
    return { head: [document], document };
  } catch (error) {
    throw unknownLogFormat(file, 'it is neither a JSON document nor JSON Lines', error);
  }
}

async function wholeText(log: LogText, signal: AbortSignal | undefined): Promise<string> {
  const blocks: string[] = [];
  try {
    for await (const block of log.blocks()) blocks.push(block);
    const text = blocks.join('');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw logReadError({ file: log.file, reason: messageOf(error), cause: error });
  }
}

async function* single(record: LogRecord): AsyncGenerator<LogRecord> {
  yield record;
}

async function* records(
  log: LogText,
  notes: NoteTaker,
  strict: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogRecord> {
  for await (const logLine of logLines(log, signal)) {
    if (logLine.text.trim() === '') continue;
    const pieces = jsonValues(logLine.text);
    const { line } = logLine;
    const sound = pieces.filter((piece) => !('broken' in piece)).length;
    if (sound > 1) notes.add('several-objects-on-a-line', `line ${line} holds ${sound} JSON values`, line);
    for (const piece of pieces) {
      if ('broken' in piece) noteBroken(piece.broken, logLine, { file: log.file, notes, strict });
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

/** One line of a text. */
interface LogLine {
  readonly text: string;
  /** The first line is 1. */
  readonly line: number;
  /** False for a last line without a line feed. */
  readonly terminated: boolean;
}

/**
 * The lines of a text, read in blocks. Only a line feed ends a line: `readline` of Node also splits at U+2028 and
 * U+2029, which JSON allows inside strings.
 *
 * @throws {@link HarnessError} `log-read` when the text cannot be read.
 */
async function* logLines({ file, blocks }: LogText, signal?: AbortSignal): AsyncGenerator<LogLine> {
  let line = 0;
  let rest: string[] = [];
  try {
    for await (const block of blocks()) {
      let start = line === 0 && rest.length === 0 && block.startsWith('\uFEFF') ? 1 : 0;
      for (let end = block.indexOf('\n', start); end !== -1; end = block.indexOf('\n', start)) {
        rest.push(block.slice(start, end));
        yield {
          text: withoutReturn(rest.length === 1 ? (rest[0] ?? '') : rest.join('')),
          line: ++line,
          terminated: true,
        };
        rest = [];
        start = end + 1;
      }
      if (start < block.length) rest.push(block.slice(start));
    }
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw logReadError({
      file,
      line: line + 1,
      reason: messageOf(error),
      cause: error,
    });
  }
  if (rest.length > 0) yield { text: rest.join(''), line: line + 1, terminated: false };
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
