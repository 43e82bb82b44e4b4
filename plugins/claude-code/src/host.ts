/**
 * The part of Claude Code's function hooks that this plugin uses, written by hand. `host.int.test.ts` checks it against the types in
 * the binary, where a binary is.
 */

/** A call in a row of the model. */
export interface RowToolUse {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** A result in a row of the user. */
export interface RowToolResult {
  readonly tool_use_id: string;
  readonly text: string;
  readonly isError: boolean;
}

/** One row of the transcript: one content block of a message. A thinking block is a row of the model without text and calls. */
export interface SessionRow {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly toolUses: readonly RowToolUse[];
  readonly toolResults?: readonly RowToolResult[];
  /** Names the engine's own row. A row without one is built from its text, calls and results: it has no thinking and no images. */
  readonly handle?: string;
}

/** The input of `session.compact`. */
export interface CompactInput {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
  /** The sub-agent whose rows these are. @defaultValue the main conversation */
  readonly agentId?: string;
  /** What the person typed behind `/compact`. @defaultValue nothing */
  readonly instructions?: string;
  readonly messages: readonly SessionRow[];
}

/** The answer to `session.compact`: the rows that the conversation has from now on, or the reason why nothing happens. */
export type CompactResult =
  | { readonly messages: readonly SessionRow[]; readonly skip?: undefined }
  | { readonly skip: string; readonly messages?: undefined };

/** A message of `$.session.messages({ as: 'api' })`, with its images and documents. */
export interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly unknown[];
}

/** A refusal of the engine, or of another plugin. */
export interface Deny {
  readonly deny: string;
}

/** The usage of one model request. */
export interface StepUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

export interface StepInput {
  readonly model: string;
  readonly agentId?: string;
}

export interface StepResult {
  /** Null if no answer arrived. */
  readonly stopReason: string | null;
  readonly usage: StepUsage | null;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
  /** False: the schema stands in the prompt, not behind a search. */
  readonly isDeferred?: boolean;
}

/** The engine's interface, as far as it is used. Nothing else reaches out of the environment of a mod. */
export interface Engine {
  readonly plugin: { readonly name: string; readonly root: string };
  readonly ui: {
    log(text: string, options?: { readonly to?: 'transcript' | 'debug' }): void;
    invalidate(event: 'ui.render'): void;
  };
  readonly session: {
    id(): Promise<string>;
    model(): Promise<string>;
    version(): Promise<{ readonly version: string; readonly base?: string }>;
    info(): Promise<{ readonly transcriptPath: string }>;
    usage(): Promise<{ readonly context: { readonly tokens?: number; readonly window: number } }>;
    surfaces(): Promise<readonly string[]>;
    messages(): Promise<readonly SessionRow[]>;
    messages(args: { readonly as: 'api'; readonly agentId?: string }): Promise<readonly ApiMessage[] | Deny>;
  };
  readonly tool: { register(tool: ToolSpec): Promise<unknown> };
  readonly command: {
    run(command: { readonly command: string; readonly args?: string }): Promise<unknown>;
    register(command: {
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
      readonly immediate?: true;
    }): Promise<unknown>;
  };
  readonly config: { list(): Promise<readonly { readonly key: string; readonly value: unknown }[]> };
  readonly settings: { read(): Promise<Readonly<Record<string, unknown>>> };
  readonly env: {
    get(name: string): Promise<string | undefined>;
    set(name: string, value: string | undefined): Promise<unknown>;
  };
  readonly fs: {
    read(path: string): Promise<string>;
    write(path: string, text: string): Promise<void>;
    exists(path: string): Promise<boolean>;
  };
  readonly store: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<void>;
    keys(): Promise<readonly string[]>;
  };
  readonly clock: {
    now(): Promise<number>;
    after(ms: number, run: () => unknown): unknown;
  };
}

/** Continues with the other plugins and the engine. */
export type Next<Input, Result> = (input: Input) => Promise<Result>;

/** A call of a tool: its arguments stand beside these fields. */
export interface ToolCall {
  readonly tool: string;
  readonly tool_use_id: string;
  readonly agentId?: string;
  readonly requestMeta?: unknown;
}

/** The line below the prompt. */
export interface PromptHint {
  readonly component: 'PromptHint';
  readonly props: { readonly hint: string; readonly tail?: string };
}

type Hook<Input, Result> = ($: Engine, event: Input, next: Next<Input, Result>) => Result | Promise<Result>;

interface Registration<Input, Result> {
  /** Answers in the place of a hook that throws, or works for 10 s. */
  catch(hook: Hook<Input, Result>): unknown;
}

/** Sends the request. */
interface StepNext {
  (event: StepInput): AsyncGenerator<unknown, StepResult>;
  /** Aborted when the person stops the turn. */
  readonly signal: AbortSignal;
}

/** Declares a hook. The loader reads the names and the matchers in the source. */
export interface On {
  (event: 'session.start', hook: Hook<object, object>): unknown;
  (event: 'session.compact', hook: Hook<CompactInput, CompactResult>): Registration<CompactInput, CompactResult>;
  (
    event: 'turn.step',
    hook: ($: Engine, event: StepInput, next: StepNext) => AsyncGenerator<unknown, StepResult>,
  ): unknown;
  (
    event: 'tool.call',
    matcher: { readonly tool: string },
    hook: Hook<ToolCall, { readonly result: unknown } | Deny>,
  ): unknown;
  (
    event: 'command.run',
    matcher: { readonly command: string },
    hook: Hook<{ readonly args: string }, { readonly text: string; readonly isTextDisplayOnly?: true }>,
  ): unknown;
  (event: 'ui.render', matcher: { readonly component: 'PromptHint' }, hook: Hook<PromptHint, object>): unknown;
}
