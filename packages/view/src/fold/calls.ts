import { isMeaningful } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, MessageEvent, ToolResultEvent } from '@palimpsest/events';
import { callAlias, isSendableCallId } from './call-alias.js';

/** A position that no log has. A small integer, for which an engine allocates nothing. */
const never = 2 ** 31 - 1;

/** An event that a model made. */
type AssistantEvent = ActionEvent | (MessageEvent & { readonly role: 'assistant' });

/**
 * The calls of one model response. A batch is open until an event of another response is appended, or a condensation while no
 * call of the batch is pending. Then the batch is sealed, and a later result is late. Positions are indices in the log. A view
 * ignores positions at or after its own position, so one record serves every view.
 */
export interface Batch {
  /** A number that no other batch of the log has. */
  readonly ordinal: number;
  /** In the order of the log; grows while the batch is open. */
  calls: Call[];
  /** Those of the calls. */
  readonly actions: ActionEvent[];
  /** The position of the event that sealed it; {@link never} while it is open. */
  sealedAt: number;
}

interface Result {
  readonly id: EventId;
  readonly position: number;
}

/** One tool call and its state. */
export interface Call {
  readonly action: ActionEvent;
  readonly batch: Batch;
  readonly position: number;
  /** The id under which the call and its result are sent: its own, or an alias if the id is taken or providers refuse it. */
  readonly sentId: string;
  /** The call repeats the id of an open call. It is never sent and never answered. */
  readonly isRepeated: boolean;
  /**
   * The number of calls that repeated its id while it was open and have no result yet. Their results are not its own.
   */
  repetitions: number;
  /** Its results, in the order of the log: the newest is sent in the place of the first. Undefined while there is none. */
  results: Result[] | undefined;
  /** The position of its first result; {@link never} while there is none. */
  answeredAt: number;
  /** The first result was appended after the batch was sealed. */
  isLate: boolean;
  /** The same call, sent again for a result that came after the model had read one. */
  again: Call | undefined;
  /**
   * The list need not hold the call for a late result to be sent, because it did not hold it when the result came. The call of
   * the log is sent with it.
   */
  isAlone: boolean;
}

/** Returns true for an event that a model made. */
export function isAssistantEvent(event: Event): event is AssistantEvent {
  return event.type === 'action' || (event.type === 'message' && event.role === 'assistant');
}

/**
 * Finds the responses of a log and matches their calls and results, in the order of the log. The answer for an event depends
 * only on the events before it in the log, and never changes. That events are forgotten matters to a result whose call is.
 *
 * Servers repeat the ids of their responses, and some send one id for all of them. So an event with the id of the newest
 * response begins another response if every call of the newest response is answered and there is evidence of another model
 * call: a user message or an `llm-usage` of purpose `agent` in between, or words or thinking on the event itself. A result alone
 * is no evidence: a session may contain calls of one response after the result of another call of the same response.
 */
export class CallHistory {
  /** The newest call with an id that is not the repetition of an open call. */
  readonly #newest = new Map<string, Call>();
  readonly #isListed: (action: ActionEvent) => boolean;
  /** For the position of each assistant event, the first position of its response. */
  readonly #responses: (number | undefined)[] = [];
  /** For the position of each event that makes or answers a call, the call. */
  readonly #calls: (Call | undefined)[] = [];
  #batches = 0;
  #open: Batch | undefined;
  /** The number of the open batch's calls without a result. */
  #waiting = 0;
  /** The position of the newest assistant event. */
  #assistantAt = -1;
  #response = -1;
  #responseId: string | undefined;
  /** A model was called since the newest assistant event. */
  #isModelCalled = false;

  /** @param isListed - whether the stored list holds a call */
  constructor(isListed: (action: ActionEvent) => boolean) {
    this.#isListed = isListed;
  }

  /** The batch that is not sealed yet. */
  get open(): Batch | undefined {
    return this.#open;
  }

  /** The first position of the response with the event at a position. Undefined for an event that no model made. */
  responseAt(position: number): number | undefined {
    return this.#responses[position];
  }

  /** The call that the event at a position makes or answers; undefined for any other event. */
  callAt(position: number): Call | undefined {
    return this.#calls[position];
  }

  /** Adds the next event. Returns the call that the event makes or answers; undefined for any other event. */
  append(event: Event, position: number): Call | undefined {
    if (isAssistantEvent(event)) this.#respond(event, position);
    switch (event.type) {
      case 'action':
        return (this.#calls[position] = this.#appendAction(event, position));
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        return (this.#calls[position] = this.#appendResult(event, position));
      case 'llm-usage':
        this.#isModelCalled ||= event.purpose === 'agent';
        return undefined;
      case 'message':
        this.#isModelCalled ||= event.source === 'user';
        return undefined;
      default:
        return undefined;
    }
  }

  /**
   * Seals the open batch if none of its calls is pending. Called for a condensation: the condensation may forget the batch, so
   * the next answer must start a new batch, even if a server gives all responses one id.
   */
  sealAnswered(position: number): void {
    if (this.#waiting > 0) return;
    this.#seal(position);
    this.#responseId = undefined;
  }

  #respond(event: AssistantEvent, position: number): void {
    const { llmResponseId } = event;
    const isSame = llmResponseId !== undefined && llmResponseId === this.#responseId;
    if (!isSame || (this.#waiting === 0 && (this.#isModelCalled || bringsWords(event)))) {
      this.#seal(position);
      this.#response = position;
    }
    this.#responseId = llmResponseId;
    this.#isModelCalled = false;
    this.#assistantAt = position;
    this.#responses[position] = this.#response;
  }

  #appendAction(action: ActionEvent, position: number): Call {
    const batch = this.#open ?? this.#newBatch(never, [action]);
    const { id } = action.toolCall;
    const earlier = this.#newest.get(id);
    const call: Call = {
      action,
      batch,
      position,
      sentId: earlier === undefined && isSendableCallId(id) ? id : callAlias(action.id),
      isRepeated: earlier?.batch === batch && earlier.answeredAt === never,
      repetitions: 0,
      results: undefined,
      answeredAt: never,
      isLate: false,
      again: undefined,
      isAlone: false,
    };
    if (this.#open === undefined) batch.calls = [call];
    else {
      batch.calls.push(call);
      batch.actions.push(action);
    }
    this.#open = batch;
    if (call.isRepeated && earlier !== undefined) {
      earlier.repetitions++;
      return call;
    }
    this.#newest.set(id, call);
    this.#waiting++;
    return call;
  }

  #appendResult({ id, toolCallId }: ToolResultEvent, position: number): Call | undefined {
    const call = this.#newest.get(toolCallId);
    if (call === undefined) return undefined;
    if (call.answeredAt === never) {
      call.answeredAt = position;
      call.isLate = call.batch !== this.#open;
      if (call.isLate) call.isAlone = !this.#isListed(call.action);
      else this.#waiting--;
    } else if (call.repetitions > 0) {
      call.repetitions--;
      return undefined;
    } else if (call.batch !== this.#open && !this.#isReplaceable(call)) {
      // The newest follows as a pair of its own.
      return this.#askAgain(call, { id, position });
    }
    if (call.results === undefined) call.results = [{ id, position }];
    else call.results.push({ id, position });
    return call;
  }

  /** True if no model has read the result of a call, and a result in its place would be sent. */
  #isReplaceable(call: Call): boolean {
    return this.#assistantAt <= call.answeredAt && (call.isAlone || this.#isListed(call.action));
  }

  /** A call that was answered before, for a result that the model has not read. */
  #askAgain(earlier: Call, result: Result): Call {
    const { action } = earlier;
    const call: Call = {
      action,
      batch: this.#newBatch(result.position, []),
      position: result.position,
      sentId: callAlias(result.id),
      isRepeated: false,
      repetitions: 0,
      results: [result],
      answeredAt: result.position,
      isLate: true,
      again: undefined,
      isAlone: true,
    };
    earlier.again = call;
    this.#newest.set(action.toolCall.id, call);
    return call;
  }

  /** A list that is written with its first item has no room for more: most responses make one call. */
  #newBatch(sealedAt: number, actions: ActionEvent[]): Batch {
    return { ordinal: this.#batches++, calls: [], actions, sealedAt };
  }

  #seal(position: number): void {
    if (this.#open !== undefined) this.#open.sealedAt = position;
    this.#open = undefined;
    this.#waiting = 0;
  }
}

/** Returns the position of a call's newest result before a position of the log. Undefined if there is none. */
export function newestResultAt(call: Call, position: number): number | undefined {
  let newest: number | undefined;
  // A log can ask one call again as often as it has events, so this is a loop.
  for (let each: Call | undefined = call; each !== undefined && each.position < position; each = each.again) {
    newest = each.results?.findLast((result) => result.position < position)?.position ?? newest;
  }
  return newest;
}

/** Returns true if a call may still be answered in its place, at a position of the log. */
export function isPending(call: Call, position: number): boolean {
  return !call.isRepeated && call.answeredAt >= position && call.batch.sealedAt >= position;
}

/** Returns true if a batch is open at a position of the log and one of its calls has no result. */
export function hasPendingCall(batch: Batch, position: number): boolean {
  return batch.calls.some((call) => call.position < position && isPending(call, position));
}

/** Returns true if, at a position of the log, a call has a result that came before its batch was sealed. */
export function isAnsweredInPlace(call: Call, position: number): boolean {
  return call.answeredAt < position && !call.isLate;
}

/** Returns true for the result that is sent of a call's results, at a position of the log: the newest. */
export function isNewestResult({ results }: Call, id: EventId, position: number): boolean {
  return (
    results === undefined || results.length === 1 || results.findLast((result) => result.position < position)?.id === id
  );
}

/** True for an event that carries words. The first action of a response carries its words; a message always does. */
function bringsWords(event: AssistantEvent): boolean {
  return (
    event.type === 'message' ||
    event.thought.some(isMeaningful) ||
    (event.thinkingBlocks?.length ?? 0) > 0 ||
    (event.reasoningItems?.length ?? 0) > 0 ||
    (event.reasoningContent ?? '').trim() !== ''
  );
}
