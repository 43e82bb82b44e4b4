import { PalimpsestError } from '@palimpsest/events';

/** A server did not start, ended, or did not carry out a call. The message is for the model and for people, and holds no escapes. */
export class McpServerError extends PalimpsestError {
  static override get typeName(): string {
    return 'McpServerError';
  }

  /** The name of the server in the configuration. */
  readonly server: string;

  constructor(server: string, problem: string, options?: { readonly cause?: unknown }) {
    super('mcp-server', `The MCP server '${server}' ${problem}`, options);
    this.server = server;
  }
}

/** The servers cannot be connected as they are configured: a name or an address is none. */
export class InvalidMcpServerError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidMcpServerError';
  }

  constructor(server: string, reason: string) {
    super('invalid-mcp-server', `The MCP server '${server}' cannot be used: ${reason}`);
  }
}
