/** Resolves after a time, or when the signal is aborted. */
export async function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await unlessAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))), signal);
  clearTimeout(timer);
}

/** Settles as the work does; resolves to undefined when the signal is aborted before. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
