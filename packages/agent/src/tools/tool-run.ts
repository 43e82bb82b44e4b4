import type { Event, Tool, ToolContext, ToolOutput } from '@palimpsest/events';

/** A tool exceeded its time limit. */
export class ToolTimeoutError extends Error {
  override readonly name = 'ToolTimeoutError';

  constructor(toolName: string, timeoutMs: number) {
    super(
      `'${toolName}' did not answer within ${timeoutMs} ms and was stopped. Check what it did before you repeat it.`,
    );
  }
}

/** How long a tool may take to stop after it was told to. Unit: milliseconds. */
const graceMs = 1_000;

/** The maximum of a timer: a longer one fires at once. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Runs a tool until it resolves, the signal is aborted or its time limit is reached. Its own signal tells it to stop. If it
 * does not stop within a second, it is abandoned, and can append nothing more.
 *
 * @throws {@link ToolTimeoutError}; what the tool throws; the signal's reason.
 */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<ToolOutput> {
  const { timeoutMs } = options;
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  const abort = (): void => stop.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', abort, { once: true });
  const timer =
    timeoutMs <= longestTimer
      ? setTimeout(() => stop.abort(new ToolTimeoutError(tool.name, timeoutMs)), timeoutMs)
      : undefined;
  let grace: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const leftAlone = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => {
      grace = setTimeout(() => reject(stop.signal.reason as Error), graceMs);
    });
  });
  const append = (event: Event): Promise<void> =>
    isOver
      ? Promise.reject(new Error(`The call of '${tool.name}' is over; nothing can be appended for it any more.`))
      : context.append(event);
  try {
    const answered = (async () => tool.execute(input, { ...context, signal: stop.signal, append }))();
    const output = await Promise.race([answered, leftAlone]);
    return output;
  } catch (error) {
    // A tool that stops for its time limit may throw an error that does not say so.
    throw stop.signal.reason instanceof ToolTimeoutError ? stop.signal.reason : error;
  } finally {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', abort);
  }
}
