import type { Transport } from '@modelcontextprotocol/client';
import type { LogTail } from './log-tail.js';
import type { MessageGate } from './message-gate.js';

/** A way to a server that bounds what it may send. */
export interface ServerTransport extends Transport {
  readonly gate: MessageGate;
  /** The end of what the server wrote to its log. */
  readonly log: LogTail;
  /** Why it ended, as the end of a sentence that begins with the server. Undefined while it is open. */
  readonly problem: string | undefined;
  /** It was ended because it sent too much. */
  readonly isFlooded: boolean;
}
