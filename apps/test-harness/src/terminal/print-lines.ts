/**
 * Writes lines to a stream, and waits until they are written. A reader that goes away, as `head` does, ends the writing without
 * an error.
 */
export async function printLines(stream: NodeJS.WritableStream, lines: Iterable<string>): Promise<void> {
  let isClosed = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  };
  stream.on('error', onError);
  for (const line of lines) {
    if (isClosed) return;
    await new Promise<void>((resolve) => {
      stream.write(`${line}\n`, () => resolve());
    });
  }
  // The listener stays: the error of a closed pipe may come after the last write.
}
