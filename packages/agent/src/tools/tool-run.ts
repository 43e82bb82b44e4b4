import type { Event, Tool, ToolContext, ToolOutput } from '@palimpsest/events';

/** A tool took longer than it may. */
export class ToolTimeoutError extends Error {
  override readonly name = 'ToolTimeoutError';

  constructor(toolName: string, timeoutMs: number) {
    super(
      `'${toolName}' did not answer within ${timeoutMs} ms and was stopped. Check what it did before you repeat it.`,
    );
  }
}

/** How long a tool that is told to stop may take to do so. Unit: milliseconds. */
const graceMs = 1_000;

/** A timer that is set to more fires at once. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Runs a tool until it answers, the signal is aborted or its time is over. It is told to stop by its own signal; one that does
 * not is left alone after a second, and can append nothing more.
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
    // A tool that stops because its time is over may say so in words that do not name the reason.
    throw stop.signal.reason instanceof ToolTimeoutError ? stop.signal.reason : error;
  } finally {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', abort);
  }
}
