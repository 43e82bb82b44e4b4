/** The exit code of a command that SIGINT ended. */
export const interruptedStatus = 130;

/** Runs work with a signal that SIGINT aborts. A second SIGINT ends the process. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGINT', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
  }
}
