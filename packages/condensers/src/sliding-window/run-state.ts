import { isMeaningful, isUserMessage } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The tool with which the reference agent ends a run. */
export const usualFinishTools: readonly string[] = /* @__PURE__ */ Object.freeze(['finish']);

/**
 * Follows a history event by event and tracks whether a run has just finished: the agent answered with a message without a call,
 * or a finish tool was executed, and no call is open. User messages before that point steer the current run.
 */
export class RunState {
  readonly #finishTools: ReadonlySet<string>;
  readonly #view: Pick<View, 'responseOf'>;
  readonly #waiting = new Set<string>();
  #response: EventId | undefined;
  #called = false;
  #ended = false;

  constructor(view: Pick<View, 'responseOf'>, finishTools: Iterable<string>) {
    this.#view = view;
    this.#finishTools = new Set(finishTools);
  }

  /** True if the next message of the user starts an invocation. */
  get isFinished(): boolean {
    return this.#ended && this.#waiting.size === 0;
  }

  see(event: LLMConvertibleEvent): void {
    switch (event.type) {
      case 'message':
        if (event.role === 'assistant') {
          this.#respond(event);
          // A response that the user interrupted is not an answer.
          this.#ended = !this.#called && event.cutOff === undefined && event.content.some(isMeaningful);
        } else if (isUserMessage(event)) this.#ended = false;
        return;
      case 'action':
        this.#respond(event);
        this.#called = true;
        this.#ended = false;
        this.#waiting.add(event.toolCall.id);
        return;
      case 'observation':
        this.#waiting.delete(event.toolCallId);
        if (event.isError !== true && this.#finishTools.has(event.toolName)) this.#ended = true;
        return;
      case 'user-reject-observation':
      case 'agent-error':
        this.#waiting.delete(event.toolCallId);
        return;
      case 'system-prompt':
      case 'condensation-summary':
        return;
    }
  }

  /** Records that the history up to and including an event was forgotten. */
  resumeBehind(event: LLMConvertibleEvent | undefined): void {
    this.#waiting.clear();
    this.#called = false;
    this.#ended = false;
    if (event !== undefined) this.see(event);
    this.#waiting.clear();
  }

  /** A call that is open when another response arrives will not be answered at its position. */
  #respond({ id }: LLMConvertibleEvent): void {
    const response = this.#view.responseOf(id);
    if (response !== undefined && response === this.#response) return;
    this.#response = response;
    this.#called = false;
    this.#waiting.clear();
  }
}
