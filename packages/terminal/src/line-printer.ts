/** Writes a line, and resolves when it is written. */
export type PrintLine = (line: string) => Promise<void>;

/**
 * Writes lines to a stream. A reader that goes away, as `head` does, ends the writing without an error: what is printed later
 * is lost.
 */
export function linePrinter(stream: NodeJS.WritableStream): PrintLine {
  let isClosed = false;
  // The listener stays: the error of a closed pipe may come after the last write.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  });
  return (line) =>
    new Promise<void>((resolve) => {
      if (isClosed) resolve();
      else stream.write(`${line}\n`, () => resolve());
    });
}
