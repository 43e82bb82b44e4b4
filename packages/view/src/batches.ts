import type { ActionEvent, Event, EventId, ToolResultEvent } from '@palimpsest/events';
import { CallIndex } from './call-index.js';
import { isAssistantEvent, ResponseBoundaries } from './response-boundaries.js';
import type { AssistantEvent } from './response-boundaries.js';

/** Later than any position of a log. A small integer, because engines keep those in the record itself, and no infinity. */
export const notYet = 0x3fffffff;

/**
 * The calls of one model response. It is open until an event of another response is appended, or a condensation
 * when none of its calls waits; from then on it is sealed, and a result that still comes is late. Positions are indices in
 * the log; what lies at or behind the position of a view has not happened yet for that view, so that the same record serves
 * every snapshot.
 */
export interface Batch {
  readonly openedAt: number;
  readonly index: CallIndex<Call>;
  /** In the order of the log; grows while the batch is open. */
  calls: Call[];
  /** The position of the event that sealed it; {@link notYet} while it is open. */
  sealedAt: number;
}

/** One tool call and what became of it. */
export interface Call {
  readonly action: ActionEvent;
  readonly batch: Batch;
  readonly position: number;
  /** The id under which the call and its result are sent, once {@link sentIdOf} was asked for it. */
  sentId: string | undefined;
  /** Its id was that of an open call: never sent, never answered. */
  readonly repeated: boolean;
  resultId: EventId | undefined;
  /** The position of its result; {@link notYet} while there is none. */
  answeredAt: number;
  /** The result came when the batch was sealed. */
  late: boolean;
}

/**
 * Finds the responses of a log and matches their calls and results, in the order of the log. What it says of an event depends
 * on the events before it alone, never on what was forgotten, and does not change afterwards.
 */
export class CallLedger {
  readonly #index = new CallIndex<Call>();
  readonly #boundaries = new ResponseBoundaries();
  /** For the position of each event that a model made the position with which its response begins; -1 for the others. */
  readonly #responses: number[] = [];
  #response = -1;
  #open: Batch | undefined;
  /** How many calls of the open batch have no result. */
  #waiting = 0;

  /** The batch that is not sealed yet. */
  get open(): Batch | undefined {
    return this.#open;
  }

  /** The position with which the response begins to which the event at a position belongs; undefined where no model made it. */
  readonly responseAt = (position: number): number | undefined => {
    const first = this.#responses[position] ?? -1;
    return first < 0 ? undefined : first;
  };

  /** Adds the next event; returns the call that it makes or answers, and undefined for what does neither. */
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
   * Seals the open batch if no call of it waits. A condensation does it: what a model answers to a list that was written anew
   * is no part of a batch that may be forgotten by then, even where a server gives all responses one id.
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
    // An array that begins with its one call takes no more room than that.
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

/** So many calls are looked through sooner than looked up. */
const fewCalls = 8;

/** The id under which a call and its result are sent: its own, unless that is taken or no provider takes it. */
export function sentIdOf(call: Call): string {
  return call.sentId ?? call.batch.index.sentIdOf(call);
}

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
