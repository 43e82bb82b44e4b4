import * as z from 'zod/mini';
import type { CustomEvent, Event } from './event.js';
import type { EventId } from './event-base.js';
import { errorTexts } from './parse-event.js';
import type { ContentPart } from './message.js';
import type { ToolDefinition } from './llm-convertible-events.js';

/** The facilities that a tool may use while it runs. */
export interface ToolContext {
  /**
   * The action that is being carried out: the same id however often it runs, in whatever process. Give it to services
   * as the idempotency key, so that an action of a `repeatable` tool takes effect once though it runs again after a
   * crash.
   */
  readonly actionId: EventId;
  readonly toolCallId: string;
  /** Aborted when the run is interrupted or the tool's time is over. */
  readonly signal?: AbortSignal;
  /** The log so far, oldest first: the same object for every call of one conversation, iterated anew at each look. */
  readonly log: Iterable<Event>;
  /** Returns any event of the log by its id. */
  event(id: EventId): Event | undefined;
  /**
   * Appends an event of the tool's own to the log; resolves when it is in the log. A tool may append events of the types that
   * it declares ({@link Tool.eventTypes}), a `condensation-request`, and messages of the environment, which the host marks as
   * the tool's. Rejects any other event: a tool cannot speak for the user or the agent, condense, pin or confirm.
   */
  append(event: Event): Promise<void>;
  /**
   * The length of the call's output that the model reads. Of a longer output it reads the beginning and the end. A tool
   * that can return its output in parts keeps each part within this length. Unit: characters. @defaultValue no limit is
   * known
   */
  readonly maxOutputCharacters?: number;
}

/** The answer of a tool: text, or content with a mark for failure and data for programs. */
export type ToolOutput =
  | string
  | {
      readonly content: string | readonly ContentPart[];
      /** The tool did not do what it was asked to. @defaultValue false */
      readonly isError?: boolean;
      /** Data for programs (exit status, paths): stored as the observation's `details`, never sent to a model. */
      readonly details?: Readonly<Record<string, unknown>>;
    };

/**
 * A tool that an agent can run. `parseInput` turns the model's parsed JSON into the input and throws an error whose message the
 * model can act on. `execute` may throw too, and the model reads that message as the call's error.
 */
export interface Tool<Input = unknown> extends ToolDefinition {
  /** The longest duration of a call. Unit: milliseconds; `Infinity` is no limit. @defaultValue what the agent says */
  readonly timeoutMs?: number;
  /** The namespaced types of the events that it appends, such as `'acme/note'`. @defaultValue none */
  readonly eventTypes?: readonly CustomEvent['type'][];
  parseInput(json: unknown): Input;
  execute(input: Input, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/**
 * Makes a tool from a schema of zod or zod/mini: the JSON schema for the model and the validation of its input come from the same source.
 *
 * @example
 * ```ts
 * const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), execute: () => new Date().toISOString() });
 * ```
 */
export function defineTool<Schema extends z.core.$ZodObject>(options: {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly annotations?: NonNullable<ToolDefinition['annotations']>;
  readonly timeoutMs?: number;
  readonly eventTypes?: readonly CustomEvent['type'][];
  readonly execute: (input: z.infer<Schema>, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
}): Tool<z.infer<Schema>> {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(options.input, { io: 'input' });
  return {
    name: options.name,
    description: options.description,
    inputSchema,
    ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    timeoutMs: options.timeoutMs,
    ...(options.eventTypes === undefined ? {} : { eventTypes: [...options.eventTypes] }),
    parseInput: (json) => {
      const result = z.safeParse(options.input, json, errorTexts());
      if (!result.success)
        throw new TypeError(`Invalid input for '${options.name}':\n${z.prettifyError(result.error)}`);
      return result.data;
    },
    execute: options.execute,
  };
}

/** Returns the part of a tool that a model reads, without its code. */
export function toolDefinition(tool: ToolDefinition): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
}
