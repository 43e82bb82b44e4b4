import type { ActionEvent, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { isSendableCallId, callAlias } from './call-alias.js';

/**
 * The calls of one model response. It is open until an assistant event of another response is appended; from then on it is
 * sealed, and a result that still comes is late. Positions are indices in the log; what lies at or behind the position of
 * a view has not happened yet for that view, so that the same record serves every snapshot.
 */
export interface Batch {
  readonly responseId: string;
  readonly openedAt: number;
  /** In the order of the log; grows while the batch is open. */
  readonly calls: Call[];
  /** The position of the event that sealed it; infinite while it is open. */
  sealedAt: number;
}

/** One tool call and what became of it. */
export interface Call {
  readonly action: ActionEvent;
  readonly batch: Batch;
  readonly position: number;
  /** The id under which the call and its result are sent. */
  readonly sentId: string;
  /** Its id was that of an open call: never sent, never answered. */
  readonly repeated: boolean;
  resultId: EventId | undefined;
  /** The position of its result; infinite while there is none. */
  answeredAt: number;
  /** The result came when the batch was sealed. */
  late: boolean;
}

/** What was appended, as far as tool calls are concerned. */
export type Appended =
  | { readonly kind: 'call'; readonly call: Call; readonly sealed: Batch | undefined }
  | { readonly kind: 'result'; readonly call: Call }
  | { readonly kind: 'unmatched-result' }
  | { readonly kind: 'other'; readonly sealed: Batch | undefined };

/**
 * Matches calls and results in the order of the log. What it says of an event depends on the events before it alone, never
 * on what was forgotten, and does not change afterwards.
 */
export class CallLedger {
  readonly #callsByEventId = new Map<EventId, Call>();
  readonly #latestCall = new Map<string, Call>();
  readonly #unmatched = new Map<EventId, string>();
  #open: Batch | undefined;

  /** The batch that is not sealed yet. */
  get open(): Batch | undefined {
    return this.#open;
  }

  /** The call that an action makes or that a matched result answers. */
  callOf(eventId: EventId): Call | undefined {
    return this.#callsByEventId.get(eventId);
  }

  /** Why a result answers no call. */
  reasonUnmatched(eventId: EventId): string | undefined {
    return this.#unmatched.get(eventId);
  }

  append(event: LLMConvertibleEvent, position: number): Appended {
    switch (event.type) {
      case 'action':
        return this.#appendAction(event, position);
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        return this.#appendResult(event, position);
      case 'message':
        if (event.role !== 'assistant') return other;
        return { kind: 'other', sealed: this.#sealUnless(event.llmResponseId, position) };
      default:
        return other;
    }
  }

  #appendAction(action: ActionEvent, position: number): Appended {
    const sealed = this.#sealUnless(action.llmResponseId, position);
    const batch = (this.#open ??= {
      responseId: action.llmResponseId,
      openedAt: position,
      calls: [],
      sealedAt: Infinity,
    });
    const toolCallId = action.toolCall.id;
    const earlier = this.#latestCall.get(toolCallId);
    const repeated = earlier !== undefined && earlier.batch === batch && earlier.answeredAt === Infinity;
    const asIs = earlier === undefined && isSendableCallId(toolCallId);
    const call: Call = {
      action,
      batch,
      position,
      sentId: asIs ? toolCallId : callAlias(action.id),
      repeated,
      resultId: undefined,
      answeredAt: Infinity,
      late: false,
    };
    batch.calls.push(call);
    this.#callsByEventId.set(action.id, call);
    if (!repeated) this.#latestCall.set(toolCallId, call);
    return { kind: 'call', call, sealed };
  }

  #appendResult(result: ToolResultEvent, position: number): Appended {
    const call = this.#latestCall.get(result.toolCallId);
    if (call === undefined || call.answeredAt !== Infinity) {
      this.#unmatched.set(result.id, call === undefined ? 'a result without a call' : 'a second result for its call');
      return { kind: 'unmatched-result' };
    }
    call.resultId = result.id;
    call.answeredAt = position;
    call.late = call.batch.sealedAt !== Infinity;
    this.#callsByEventId.set(result.id, call);
    return { kind: 'result', call };
  }

  #sealUnless(responseId: string | undefined, position: number): Batch | undefined {
    const open = this.#open;
    if (open === undefined || open.responseId === responseId) return undefined;
    open.sealedAt = position;
    this.#open = undefined;
    return open;
  }
}

const other: Appended = { kind: 'other', sealed: undefined };

/** True where, at a position of the log, a call still waits for its result. */
export function isPending(call: Call, position: number): boolean {
  return !call.repeated && call.answeredAt >= position && call.batch.sealedAt >= position;
}

/** True where, at a position of the log, some call of an open batch waits for its result. */
export function hasPendingCall(batch: Batch, position: number): boolean {
  return batch.calls.some((call) => call.position < position && isPending(call, position));
}

/** True where a call was answered before its batch was sealed, as seen from a position of the log. */
export function isAnsweredInPlace(call: Call, position: number): boolean {
  return call.answeredAt < position && !call.late;
}
