import type { TokenPrices } from '@palimpsest/llm-adapters';
import type { Usage } from '@palimpsest/events';

/** An API whose requests the gateway reads. */
export type ApiName = 'messages' | 'chat' | 'responses';

/**
 * The kind of list that was sent in the place of the client's. `untouched`: the list itself, byte for byte. `condensed`: the list with the edits in force.
 * `original`: condensation has failed, and the list went without the thinking that was made behind an edit. `passed`: nothing is condensed
 * here, by the user's wish or because a subscription pays.
 */
export type Way = 'untouched' | 'condensed' | 'original' | 'passed';

/**
 * The calls of the answer before a request that brought back text that a condensation had hidden, also if its summary quotes that text.
 * Estimated; unit: tokens.
 */
export interface Rereads {
  readonly results: number;
  /** The results, and the calls. */
  readonly tokens: number;
  readonly outputTokens: number;
  /** True if the answer held no other calls: without condensation the request before would not have been made. */
  readonly isAlone: boolean;
}

/** A condensation, in numbers. */
export interface CondensationReceipt {
  readonly id: string;
  /** The condenser's reason: `rent`, `cold`, `tokens`. */
  readonly reason: string;
  /** The results whose text went, by the tool that had made them. */
  readonly hidden: Readonly<Record<string, number>>;
  /** Estimated. Unit: tokens. */
  readonly savedTokens: number;
  readonly rewrittenTokens: number;
}

/** The place of a conversation in an experiment that passes some of all sessions unchanged. */
export interface HoldOutReceipt {
  readonly isHeldOut: boolean;
  /** The unit of the draw: a session, with its sub-agents. */
  readonly session: string;
}

/** The record of one request. It holds numbers and names, and no word of the conversation. */
export interface Receipt {
  /** ISO 8601. */
  readonly at: string;
  readonly conversation: string;
  /** The name of its log in the store. Conversations that begin alike share one. */
  readonly log: string;
  readonly api: ApiName;
  /** As the client wrote it. */
  readonly model: string;
  /** The status of the answer. */
  readonly status: number;
  readonly way: Way;
  /** True if a subscription's login paid: what is saved is no money. */
  readonly isSubscription: boolean;
  /** As the provider counted. @defaultValue it counted nothing */
  readonly usage?: Usage | undefined;
  /** Tokens of {@link Usage.cacheWriteTokens} with another life than the usual one. @defaultValue none */
  readonly cacheWrites?: Readonly<Record<string, number>> | undefined;
  /** The prices of that day. @defaultValue the model's are not known */
  readonly prices?: TokenPrices | undefined;
  /** Estimated sizes of the client's list and of the one that was sent, with the instructions and without the tools. Unit: tokens. */
  readonly held: number;
  readonly sent: number;
  /** The model's window. Unit: tokens. @defaultValue not known */
  readonly window?: number | undefined;
  /** True if what was sent does not begin with what was sent before. */
  readonly isRewrite: boolean;
  /** True if the same body came before: a client's second try. */
  readonly isAgain: boolean;
  readonly rereads?: Rereads | undefined;
  /** The condensations that this request has made. */
  readonly condensations: readonly CondensationReceipt[];
  /** The number of condensations in force. */
  readonly inForce: number;
  /** The id of the newest of them. @defaultValue none is in force */
  readonly newest?: string | undefined;
  /** True if the condenser would condense, but what came back has cost more than it may. */
  readonly isHeldBack: boolean;
  /** The time that the gateway took before it sent. Unit: milliseconds. */
  readonly overheadMs: number;
  /** @defaultValue no session is held out */
  readonly holdOut?: HoldOutReceipt | undefined;
  /** The failure inside the gateway, if there was one. The request went on all the same. */
  readonly problem?: string | undefined;
}
