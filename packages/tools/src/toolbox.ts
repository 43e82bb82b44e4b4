import { createEvent, newEventId } from '@palimpsest/events';
import type { Event, Tool, ToolDefinition, ToolOutput } from '@palimpsest/events';

/** Options of {@link toolbox}. */
export interface ToolboxOptions {
  /** The events of an earlier toolbox: its list of things to do, and the changes of files that can be undone. @defaultValue none */
  readonly events?: Iterable<Event>;
  /** Stores an event. A file is changed only after the record of the change is stored. @defaultValue events are in memory alone */
  readonly onEvent?: (event: Event) => Promise<void> | void;
  /**
   * The length of one result that the model should read. Tools that can answer in parts do so. Unit: characters.
   * @defaultValue each tool's own limit
   */
  readonly maxOutputCharacters?: number;
}

/** A call as a model made it. */
export interface ToolboxCall {
  readonly name: string;
  /** The arguments: as JSON text (OpenAI), or parsed (Anthropic, the AI SDK, LangChain). */
  readonly input: unknown;
  /** The provider's id of the call. @defaultValue a new one */
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a call that the model reads. */
export interface ToolboxAnswer {
  readonly content: string;
  /** The call was not carried out; the content says why, and what to do. */
  readonly isError: boolean;
}

/** Tools for a loop of your own. */
export interface Toolbox {
  /** For the request: name, description and JSON schema of the input. */
  readonly tools: readonly ToolDefinition[];
  /** The results so far, and what the tools recorded: for `todoItems`, `planUndo` and `undoEdits`. It is no whole conversation. */
  readonly events: readonly Event[];
  /**
   * Carries out a call. A tool that does not exist, arguments that do not fit and what a tool throws are answers for the model.
   *
   * @throws the reason of `signal` when it is aborted.
   * @throws what `onEvent` throws for a result.
   */
  call(call: ToolboxCall): Promise<ToolboxAnswer>;
}

/** Brings tools to a loop that has no log of events: the toolbox keeps the one that they need. */
export function toolbox(tools: readonly Tool[], options: ToolboxOptions = {}): Toolbox {
  const { onEvent, maxOutputCharacters } = options;
  const events: Event[] = [...(options.events ?? [])];
  const append = async (event: Event): Promise<void> => {
    await onEvent?.(event);
    events.push(event);
  };
  return {
    tools,
    events,
    async call({ name, input, id = newEventId(), signal }) {
      signal?.throwIfAborted();
      const actionId = newEventId();
      const context = {
        actionId,
        toolCallId: id,
        log: events,
        event: (wanted: string) => events.find((event) => event.id === wanted),
        append,
        ...(signal === undefined ? {} : { signal }),
        ...(maxOutputCharacters === undefined ? {} : { maxOutputCharacters }),
      };
      const output = await outputOf(tools, name, input, context);
      signal?.throwIfAborted();
      const { content, isError = false, details } = output;
      const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
      const fields = { actionId, toolCallId: id, toolName: name, content: parts, isError };
      await append(createEvent('observation', { ...fields, ...(details === undefined ? {} : { details }) }));
      return { content: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n'), isError };
    },
  };
}

async function outputOf(
  tools: readonly Tool[],
  name: string,
  input: unknown,
  context: Parameters<Tool['execute']>[1],
): Promise<Exclude<ToolOutput, string>> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    return failed(`There is no tool '${name}'. There are: ${tools.map((each) => each.name).join(', ')}.`);
  }
  try {
    const output = await tool.execute(tool.parseInput(typeof input === 'string' ? parsed(input) : input), context);
    return typeof output === 'string' ? { content: output } : output;
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Some models send nothing where they have no arguments. */
function parsed(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`The arguments are no JSON: ${(cause as Error).message}. Send the call again.`, { cause });
  }
}

function failed(content: string): { readonly content: string; readonly isError: true } {
  return { content, isError: true };
}
