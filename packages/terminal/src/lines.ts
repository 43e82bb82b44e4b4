/** A stream that lines are written to, such as `process.stdout`. */
export interface LineStream {
  write(text: string, written: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A function that writes a line, and resolves when it is written. */
export type PrintLine = (line: string) => Promise<void>;

/**
 * Writes lines to a stream. A reader that goes away, as `head` does, ends the writing without an error: what is printed later
 * is lost. Any other error of the stream is thrown where nobody catches it, as Node does.
 */
export function linePrinter(stream: LineStream): PrintLine {
  let isClosed = false;
  // The listener stays: the error of a closed pipe may come after the last write.
  stream.on('error', (error: Error) => {
    if (!isReaderGone(error)) throw error;
    isClosed = true;
  });
  return (line) =>
    new Promise<void>((resolve) => {
      if (isClosed) resolve();
      else stream.write(`${line}\n`, () => resolve());
    });
}

const readerGoneCodes = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Returns true for the errors of a stream whose reader went away: a closed pipe, or a terminal that is gone. */
export function isReaderGone(error: Error): boolean {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && readerGoneCodes.has(code);
}
