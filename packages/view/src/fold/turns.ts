import { isErrorResult, isMeaningful } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { isAssistantEvent } from './calls.js';

/** The beginnings and ends of the turns of a log. Unit: positions in the log. */
export interface Turns {
  /** The first event of the model; `Infinity` while the model has not answered. Everything before it is set-up. */
  readonly firstAnswer: number;
  /** The event that finished the last finished turn; -1 while none is finished. User messages after it wait for an answer. */
  readonly lastFinish: number;
}

/** The tool with which the agent of `@palimpsest/agent` ends a run. */
const finishToolName = 'finish';

/** Follows a log event by event. A turn is finished by an answer without calls, or by a result of the finish tool. */
export class TurnTracker {
  #firstAnswer = Infinity;
  #lastFinish = -1;
  /** The finish before an answer that has no call so far. */
  #finishBefore = -1;
  #answering: number | undefined;
  #calling: number | undefined;

  get turns(): Turns {
    return { firstAnswer: this.#firstAnswer, lastFinish: this.#lastFinish };
  }

  /** @param response - the first position of the event's response; undefined for an event that no model made */
  append(event: Event, position: number, response: number | undefined): void {
    if (event.type === 'observation' && event.toolName === finishToolName && !isErrorResult(event)) {
      this.#lastFinish = position;
    }
    if (!isAssistantEvent(event)) return;
    this.#firstAnswer = Math.min(this.#firstAnswer, position);
    if (event.type === 'action') {
      // The words before it were no answer.
      if (response === this.#answering) this.#lastFinish = this.#finishBefore;
      this.#answering = undefined;
      this.#calling = response;
    } else if (response !== this.#calling && event.cutOff === undefined && event.content.some(isMeaningful)) {
      // An answer of several messages is taken back as one.
      if (response !== this.#answering) this.#finishBefore = this.#lastFinish;
      this.#answering = response;
      this.#lastFinish = position;
    }
  }
}
