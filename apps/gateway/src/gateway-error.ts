import { PalimpsestError } from '@palimpsest/events';

/** The kind of an error, for programs. */
export type GatewayErrorCode =
  /** It is not known how an agent is told where to send. */
  | 'unknown-agent'
  /** An upstream has no usable name or address, or its name is taken. */
  | 'invalid-upstream'
  /** A port is no number, or another program listens on it. */
  | 'port'
  /** A conversation of that name is not known. */
  | 'unknown-conversation'
  /** A question has nobody to answer it. */
  | 'not-agreed'
  /** A file of the gateway cannot be read. */
  | 'invalid-file'
  /** The gateway's process has ended before it listened. */
  | 'not-started';

/** An error that the user of the command can do something about. The message says what, in a sentence. */
export class GatewayError extends PalimpsestError {
  static override get typeName(): string {
    return 'GatewayError';
  }

  declare readonly code: GatewayErrorCode;

  constructor(code: GatewayErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}
