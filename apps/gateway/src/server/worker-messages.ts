import type { PresetName } from '@palimpsest/condensers';
import type { Receipt } from '../receipts/receipt.js';

/** A way through the gateway: what begins with the token goes to the upstream. */
export interface Route {
  /** The user's name for the upstream. */
  readonly name: string;
  /** The base URL of the provider. */
  readonly upstream: string;
  readonly token: string;
}

/** Options of every gateway: how it condenses, and where it keeps what it keeps. */
export interface CondensingOptions {
  /** The folder of what the gateway keeps. */
  readonly data: string;
  /** @defaultValue balanced */
  readonly preset?: PresetName | undefined;
  /** A file that describes another condenser. @defaultValue none: the preset holds */
  readonly config?: string | undefined;
  readonly subscription: boolean;
  /** The share of all sessions that pass unchanged. @defaultValue none */
  readonly holdOut?: number | undefined;
}

/** The setting of a worker. It comes as a message, because other users of the machine see the arguments of a program. */
export interface WorkerOptions extends CondensingOptions {
  readonly routes: readonly Route[];
  /** 0 for any that is free. */
  readonly port: number;
  /** True if every request passes unread: earlier workers ended before they had answered. @defaultValue false */
  readonly passes?: boolean | undefined;
}

/** A message to a worker. */
export type WorkerCommand = { readonly type: 'start'; readonly options: WorkerOptions } | { readonly type: 'stop' };

/** A message of a worker to the process that has started it. */
export type WorkerMessage =
  /** Clients send to its origin: `http://127.0.0.1:4123`. */
  | { readonly type: 'listening'; readonly origin: string }
  /** It cannot listen, and ends. */
  | { readonly type: 'failed'; readonly code: string }
  | { readonly type: 'stopped' }
  /** A client has its whole answer. */
  | { readonly type: 'answered' }
  | { readonly type: 'receipt'; readonly receipt: Receipt };
