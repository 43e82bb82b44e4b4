import type { Condensation } from '@palimpsest/events';
import { isLaterView } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, View } from '@palimpsest/view';
import { sizeNow } from '../rolling/back-off.js';

/** One decision of a condenser. It may outlast the call that started it. */
export class BackgroundTask {
  readonly view: View;
  /** What the user wanted it to keep in view. */
  readonly focus: string | undefined;
  /** Resolves when the task has ended, however it ended. */
  readonly ready: Promise<void>;
  readonly #reports: AttemptReport[] = [];
  readonly #stop = new AbortController();
  readonly #signals = new Set<AbortSignal>();
  readonly #asked: Promise<undefined>;
  readonly #outcome: Promise<View | Condensation>;
  #isSettled = false;

  constructor(options: {
    readonly view: View;
    readonly context: CondenseContext;
    readonly create: (asks: () => void) => Condenser;
  }) {
    const { view, context, create } = options;
    this.view = view;
    this.focus = context.focus;
    let asks = (): void => {};
    this.#asked = new Promise((resolve) => (asks = () => resolve(undefined)));
    const condenser = create(asks);
    this.stopWith(context.signal);
    const run = async () =>
      condenser.condense(view, {
        ...context,
        signal: this.#stop.signal,
        report: (attempt) => void this.#reports.push(attempt),
      });
    this.#outcome = run().finally(() => {
      this.#isSettled = true;
      for (const signal of this.#signals) signal.removeEventListener('abort', this.#passOn);
    });
    // The task may fail while no call awaits it; the next call that awaits it receives the failure.
    this.ready = this.#outcome.then(
      () => undefined,
      () => undefined,
    );
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The outcome, or undefined as soon as a model is called. */
  outcomeUnlessAsking(): Promise<View | Condensation | undefined> {
    return Promise.race([this.#outcome, this.#asked]);
  }

  outcome(): Promise<View | Condensation> {
    return this.#outcome;
  }

  /** True for later views of the conversation for which the task was started. */
  belongsTo(view: View): boolean {
    return isLaterView(view, this.view);
  }

  /** Adds the signal of another call: its abort stops the task. */
  stopWith(signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#isSettled || this.#signals.has(signal)) return;
    this.#signals.add(signal);
    if (signal.aborted) this.stop(signal.reason);
    else signal.addEventListener('abort', this.#passOn, { once: true });
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Passes on the reports made in the meantime. A failure takes effect now, so the back-off starts at this point. */
  deliverReports(context: CondenseContext, view: View): void {
    for (const { data, ...report } of this.#reports.splice(0)) {
      const size = data?.['events'] === undefined ? {} : { events: sizeNow(view), tokens: view.tokens() };
      context.report?.({ ...report, ...(data === undefined ? {} : { data: { ...data, ...size } }) });
    }
  }

  readonly #passOn = (event: { readonly target: unknown }): void => {
    this.stop((event.target as AbortSignal | null)?.reason);
  };
}
