import type { ActionEvent, Event, EventId, ToolResultEvent } from '@palimpsest/events';
import { CallIndex } from './call-index.js';
import { isAssistantEvent, ResponseBoundaries } from './response-boundaries.js';
import type { AssistantEvent } from './response-boundaries.js';

/**
 * Later than any position of a log. A small integer and not `Infinity`, because engines store small integers inside the record.
 */
export const notYet = 0x3fffffff;

/**
 * The calls of one model response. A batch is open until an event of another response is appended, or a condensation while no
 * call of the batch is pending. Then the batch is sealed, and a later result is late. Positions are indices in the log. A view
 * ignores positions at or after its own position, so one record serves every snapshot.
 */
export interface Batch {
  readonly openedAt: number;
  readonly index: CallIndex<Call>;
  /** In the order of the log; grows while the batch is open. */
  calls: Call[];
  /** The position of the event that sealed it; {@link notYet} while it is open. */
  sealedAt: number;
}

/** One tool call and its state. */
export interface Call {
  readonly action: ActionEvent;
  readonly batch: Batch;
  readonly position: number;
  /** The id under which the call and its result are sent. Set by the first call of {@link sentIdOf}. */
  sentId: string | undefined;
  /** The call repeats the id of an open call. It is never sent and never answered. */
  readonly repeated: boolean;
  resultId: EventId | undefined;
  /** The position of its result; {@link notYet} while there is none. */
  answeredAt: number;
  /** The result was appended after the batch was sealed. */
  late: boolean;
}

/**
 * Finds the responses of a log and matches their calls and results, in the order of the log. The answer for an event depends
 * only on the events before it in the log, not on forgotten events, and never changes.
 */
export class CallLedger {
  readonly #index = new CallIndex<Call>();
  readonly #boundaries = new ResponseBoundaries();
  /** Maps the position of each assistant event to the first position of its response; -1 for other events. */
  readonly #responses: number[] = [];
  #response = -1;
  #open: Batch | undefined;
  /** How many calls of the open batch have no result. */
  #waiting = 0;

  /** The batch that is not sealed yet. */
  get open(): Batch | undefined {
    return this.#open;
  }

  /**
   * The first position of the response that contains the event at a position; undefined if the event is not an assistant event.
   */
  readonly responseAt = (position: number): number | undefined => {
    const first = this.#responses[position] ?? -1;
    return first < 0 ? undefined : first;
  };

  /** Adds the next event. Returns the call that the event makes or answers; undefined for any other event. */
  append(event: Event, position: number): Call | undefined {
    if (isAssistantEvent(event)) this.#respond(event, position);
    switch (event.type) {
      case 'action':
        return this.#appendAction(event, position);
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        return this.#appendResult(event, position);
      default:
        this.#boundaries.see(event);
        return undefined;
    }
  }

  /**
   * Seals the open batch if none of its calls is pending. Called for a condensation: the condensation may forget the batch, so
   * the next answer must start a new batch, even if a server gives all responses one id.
   */
  sealComplete(position: number): void {
    if (this.#waiting > 0) return;
    this.#seal(position);
    this.#boundaries.end();
  }

  #respond(event: AssistantEvent, position: number): void {
    if (this.#boundaries.begins(event, this.#waiting > 0)) {
      this.#seal(position);
      this.#response = position;
    }
    while (this.#responses.length < position) this.#responses.push(-1);
    this.#responses.push(this.#response);
  }

  #appendAction(action: ActionEvent, position: number): Call {
    const open = this.#open;
    const earlier = open === undefined ? undefined : this.#latestInOpen(open, action.toolCall.id);
    const batch = open ?? { openedAt: position, index: this.#index, calls: noCalls, sealedAt: notYet };
    const call: Call = {
      action,
      batch,
      position,
      sentId: undefined,
      repeated: earlier?.answeredAt === notYet,
      resultId: undefined,
      answeredAt: notYet,
      late: false,
    };
    // An array literal with one call reserves memory for one call only.
    if (open === undefined) batch.calls = [call];
    else batch.calls.push(call);
    this.#open = batch;
    if (!call.repeated) this.#waiting++;
    this.#index.push(call);
    return call;
  }

  #appendResult(result: ToolResultEvent, position: number): Call | undefined {
    const { toolCallId } = result;
    const open = this.#open;
    const call = (open && this.#latestInOpen(open, toolCallId)) ?? this.#index.latest(toolCallId);
    if (call === undefined || call.answeredAt !== notYet) return undefined;
    call.resultId = result.id;
    call.answeredAt = position;
    call.late = call.batch.sealedAt !== notYet;
    if (!call.late) this.#waiting--;
    return call;
  }

  /** The latest call with this id in the open batch, whose calls are younger than all others. */
  #latestInOpen({ calls }: Batch, toolCallId: string): Call | undefined {
    const last = calls.length - 1;
    const first = last < fewCalls ? 0 : last;
    for (let index = last; index >= first; index--) {
      const call = calls[index] as Call;
      if (!call.repeated && call.action.toolCall.id === toolCallId) return call;
    }
    if (first === 0) return undefined;
    const latest = this.#index.latest(toolCallId);
    return latest?.batch === this.#open ? latest : undefined;
  }

  #seal(position: number): void {
    if (this.#open !== undefined) this.#open.sealedAt = position;
    this.#open = undefined;
    this.#waiting = 0;
  }
}

const noCalls: Call[] = [];

/** Up to this number of calls, a linear search is faster than a map. Unit: calls. */
const fewCalls = 8;

/**
 * The id under which a call and its result are sent: the call's own id, or an alias if the id is taken or providers refuse it.
 */
export function sentIdOf(call: Call): string {
  return call.sentId ?? call.batch.index.sentIdOf(call);
}

/** True if a call has no result at a position of the log. */
export function isPending(call: Call, position: number): boolean {
  return !call.repeated && call.answeredAt >= position && call.batch.sealedAt >= position;
}

/** True if a batch is open at a position of the log and one of its calls has no result. */
export function hasPendingCall(batch: Batch, position: number): boolean {
  return batch.calls.some((call) => call.position < position && isPending(call, position));
}

/** True if, at a position of the log, a call has a result that came before its batch was sealed. */
export function isAnsweredInPlace(call: Call, position: number): boolean {
  return call.answeredAt < position && !call.late;
}
