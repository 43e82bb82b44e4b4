import { createReadStream } from 'node:fs';
import { messageOf } from '../harness-error.js';
import { logReadError } from './errors.js';

/** One line of a text file. */
export interface LogLine {
  readonly text: string;
  /** The first line is 1. */
  readonly line: number;
  /** False for a last line without a line feed. */
  readonly terminated: boolean;
}

/**
 * The lines of a UTF-8 file, read in blocks. Only a line feed ends a line: `readline` of Node also splits at U+2028 and
 * U+2029, which JSON allows inside strings.
 *
 * @throws {@link HarnessError} `log-read` when the file cannot be read.
 */
export async function* logLines(file: string, signal?: AbortSignal): AsyncGenerator<LogLine> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20, signal });
  let line = 0;
  let rest: string[] = [];
  try {
    for await (const block of stream as AsyncIterable<string>) {
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
