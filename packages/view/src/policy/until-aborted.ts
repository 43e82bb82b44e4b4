/**
 * Resolves to the result of the work. Rejects with the signal's reason as soon as the signal is aborted, also if the work
 * ignores the signal; the later result of the work is ignored.
 */
export async function untilAborted<Result>(
  work: Result | Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
