import { parseEvent } from '@palimpsest/events';
import type { Event, MessageEvent, Tool, ToolContext, ToolOutput } from '@palimpsest/events';
import { isPin } from '@palimpsest/view';
import { ToolEventRefusedError } from '../errors.js';

/** A tool exceeded its time limit. */
class ToolTimeoutError extends Error {
  override readonly name = 'ToolTimeoutError';

  constructor(toolName: string, timeoutMs: number) {
    super(
      `'${toolName}' did not answer within ${timeoutMs} ms and was stopped. Check what it did before you repeat it.`,
    );
  }
}

/** The time in which a tool must stop after it was told to. Unit: milliseconds. */
const graceMs = 1_000;

/** The maximum of a timer: a longer one fires at once. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Runs a tool until it resolves, the signal is aborted or its time limit is reached. Its own signal tells it to stop. If it
 * does not stop within a second, it is abandoned, and can append nothing more.
 *
 * @throws {@link ToolTimeoutError} when the time limit is reached.
 * @throws what the tool throws, and the signal's reason.
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

/** Returns the `sender` of the messages that a tool appends. */
function toolSender(toolName: string): string {
  return `tool/${toolName}`;
}

/**
 * Checks an event that a tool appends. Allowed are a namespaced type that the tool declares, a `condensation-request`, and a
 * message of the environment, which is marked with {@link toolSender}. A loop of your own calls it in `ToolContext.append`.
 *
 * @throws {@link ToolEventRefusedError} for any other event: a condensation, a revert, a pin, a confirmation, a result, words
 *   of the user or the agent; InvalidEventError when it is not an event.
 */
export function toolEvent(event: unknown, tool: Pick<Tool, 'name' | 'eventTypes'>): Event {
  const parsed = parseEvent(event);
  const reason = refusal(parsed, tool);
  if (reason !== undefined) throw new ToolEventRefusedError(tool.name, parsed.type, reason);
  return parsed.type === 'message' ? Object.freeze({ ...parsed, sender: toolSender(tool.name) }) : parsed;
}

function refusal(event: Event, { name, eventTypes = [] }: Pick<Tool, 'name' | 'eventTypes'>): string | undefined {
  if (isPin(event)) return 'only the user and the application pin';
  if (event.source === 'user') return 'only the user speaks for the user';
  if (event.type === 'condensation-request') return undefined;
  if (event.type === 'message') return messageRefusal(event, name);
  const declared: readonly string[] = eventTypes;
  if (event.type.includes('/') && declared.includes(event.type)) return undefined;
  return event.type.includes('/')
    ? `it does not stand among the tool's eventTypes (${declared.join(', ') || 'none'})`
    : 'a tool appends its own namespaced events, a condensation-request, and messages of the environment';
}

/** A tool must not claim that the model was shown a skill, or that a message is the model's. */
function messageRefusal(event: MessageEvent, name: string): string | undefined {
  if (event.source !== 'environment' || event.role !== 'user') {
    return "a tool's message has the source 'environment' and the role 'user'";
  }
  const isForeign = event.sender !== undefined && event.sender !== name && event.sender !== toolSender(name);
  if (isForeign) return `its sender '${event.sender}' is not the tool`;
  const { activatedSkills, llmResponseId, cutOff, thinkingBlocks, reasoningItems, reasoningContent } = event;
  const claims = [activatedSkills, llmResponseId, cutOff, thinkingBlocks, reasoningItems, reasoningContent];
  return claims.every((claim) => claim === undefined)
    ? undefined
    : 'it claims to be an answer of the model, or a skill';
}
