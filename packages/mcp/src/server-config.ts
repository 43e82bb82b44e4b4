/** What every server may say. */
export interface McpServerLimits {
  /** The server's own names of the tools to offer. @defaultValue all */
  readonly tools?: readonly string[] | undefined;
  /** How long it may take until the server has told its tools. Unit: milliseconds. @defaultValue 30,000 */
  readonly connectMs?: number | undefined;
  /** How long a call may be silent: without an answer and without progress. Unit: milliseconds. @defaultValue 120,000 */
  readonly idleMs?: number | undefined;
  /** How long a call may take. Unit: milliseconds. @defaultValue 600,000 */
  readonly callMs?: number | undefined;
}

/** A server that is a program: it is started, and speaks over its input and output. */
export interface McpStdioServer extends McpServerLimits {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables beside the harmless ones that every server gets (`PATH`, `HOME`, …). @defaultValue none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder in which it runs. @defaultValue that of {@link ConnectMcpServersOptions} */
  readonly cwd?: string | undefined;
}

/** A server with an address, which speaks the streamable HTTP of MCP. */
export interface McpHttpServer extends McpServerLimits {
  readonly url: string;
  /** Sent with each request, such as `Authorization`. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How a server is reached. */
export type McpServerConfig = McpStdioServer | McpHttpServer;

/** The names that a server may have in a configuration: at most 32 characters, no two underscores in a row, none at the ends. */
export const serverNamePattern = /^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** How long things may take. Unit: milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly callMs: number;
}

export function timeLimits({ connectMs = 30_000, idleMs = 120_000, callMs = 600_000 }: McpServerLimits): TimeLimits {
  return { connectMs, idleMs, callMs };
}
