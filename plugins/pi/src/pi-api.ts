// What the plugin uses of pi's extension API, as `docs/extensions.md` of pi 1.5.2 describes it. Fields that a version may lack are optional.

/** A model, with its prices. Unit of the prices: USD per million tokens. */
export interface PiModel {
  readonly id: string;
  readonly provider?: string;
  readonly contextWindow?: number;
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  /** The lives of the prompt cache. Unit: seconds. */
  readonly promptCache?: { readonly short?: number; readonly long?: number };
}

export interface PiContext {
  readonly mode?: string;
  readonly hasUI: boolean;
  readonly model?: PiModel | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly ui: {
    notify(message: string, type?: 'info' | 'warning' | 'error'): void;
    confirm(title: string, message: string): Promise<boolean>;
    setStatus(key: string, text: string | undefined): void;
  };
  readonly sessionManager: {
    getSessionId(): string;
    /** Undefined for a session that is not kept. */
    getSessionFile(): string | undefined;
    getHeader?(): { readonly parentSession?: string } | null | undefined;
    /** The entries of the branch that is open, from the first on. */
    getBranch?(): readonly unknown[];
    buildSessionProjection?(): { readonly messages: readonly unknown[] };
  };
  getSystemPrompt(): string;
  /** Of commands alone. */
  waitForIdle?(): Promise<void>;
}

/** A result of a tool of an extension. */
export interface PiToolResult {
  readonly content: readonly unknown[];
  readonly details: unknown;
  readonly isError?: boolean;
}

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  execute(
    toolCallId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    ctx: PiContext,
  ): Promise<PiToolResult>;
}

export interface PiCommand {
  readonly description: string;
  handler(args: string, ctx: PiContext): Promise<void>;
}

/** What a handler returns is pi's to read: undefined changes nothing. */
export type PiHandler = (event: Readonly<Record<string, unknown>>, ctx: PiContext) => unknown;

export interface PiApi {
  on(event: string, handler: PiHandler): unknown;
  registerCommand(name: string, command: PiCommand): void;
  registerTool(tool: PiTool): void;
  getAllTools?(): readonly { readonly name: string; readonly description?: string; readonly parameters?: object }[];
  getActiveTools?(): readonly string[];
  getSettings?(): unknown;
}
