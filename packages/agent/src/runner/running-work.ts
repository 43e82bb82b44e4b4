import type { ConversationWork, WorkEnd, WorkHooks } from './conversation-work.js';

/**
 * The present work of a worker: runs of conversations, and the condensations that ended runs have left in the background, which
 * take no place. For runners of your own.
 */
export class RunningWork {
  readonly #running = new Map<ConversationWork, Promise<unknown>>();
  readonly #settling = new Map<ConversationWork, Promise<unknown>>();

  /** The conversations that run now. */
  get conversationIds(): readonly string[] {
    return [...this.#running.keys()].map(({ conversationId }) => conversationId);
  }

  /** Runs, as {@link ConversationWork.done}. Nobody waits for what it leaves in the background. */
  async run(work: ConversationWork, hooks?: WorkHooks): Promise<WorkEnd> {
    const done = work.done(hooks);
    this.#running.set(work, done);
    try {
      const end = await done;
      if (end.type === 'over') {
        const settled = work.settled().finally(() => this.#settling.delete(work));
        this.#settling.set(work, settled);
      }
      return end;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Cancels the run of a conversation, if it runs here. Resolves to how many runs that were. */
  cancel(conversationId: string): number {
    const works = [...this.#running.keys()].filter((work) => work.conversationId === conversationId);
    for (const work of works) work.cancel();
    return works.length;
  }

  /**
   * Stops all: each run ends after its present step, and is interrupted after the grace. Resolves when all have ended.
   *
   * @param options - `graceMs`: unit milliseconds. @defaultValue 30000
   */
  async stop({ graceMs = 30_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    const all = () => [...this.#running.keys(), ...this.#settling.keys()];
    for (const one of all()) one.stop();
    const timer = setTimeout(() => {
      for (const one of all()) one.interrupt();
    }, graceMs);
    await Promise.allSettled(this.#running.values());
    await Promise.allSettled(this.#settling.values());
    clearTimeout(timer);
  }
}
