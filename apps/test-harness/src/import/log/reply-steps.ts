import type { ResponseDraft } from './drafts.js';
import type { SessionRecorder } from './recorder.js';
import type { Entry } from './session.js';

/** The replies of one recorded message that holds several steps: a step is a reply with its calls, and then their results. */
export class ReplySteps {
  readonly #recorder: SessionRecorder;
  readonly #entry: Entry;
  #results: (() => void)[] = [];
  #open: ResponseDraft | undefined;
  latest: ResponseDraft | undefined;
  steps = 0;

  constructor(recorder: SessionRecorder, entry: Entry) {
    this.#recorder = recorder;
    this.#entry = entry;
  }

  /** The reply of the current step. The first use begins it. */
  get response(): ResponseDraft {
    if (this.#open === undefined) {
      this.#open = this.#recorder.response(this.#entry);
      this.latest = this.#open;
      this.steps++;
    }
    return this.#open;
  }

  /** Takes the adding of a result, which is done when the step ends. */
  addResult(add: () => void): void {
    this.#results.push(add);
  }

  /** Adds the results of the step. The next part begins another reply. */
  endStep(): void {
    for (const add of this.#results) add();
    this.#results = [];
    this.#open = undefined;
  }
}
