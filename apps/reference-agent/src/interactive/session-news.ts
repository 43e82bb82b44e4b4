import type { SessionEvent, SessionListener, SessionState } from './session-event.js';

/** What a session tells, to all who observe it, and the state that it told last. */
export class SessionNews {
  readonly #listeners = new Set<SessionListener>();
  #state: SessionState = { type: 'opening' };

  get state(): SessionState {
    return this.#state;
  }

  /** Calls the listener with everything from now on. Returns the function that ends it. */
  observe(listener: SessionListener): () => void {
    const own: SessionListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  setState(state: SessionState): void {
    this.#state = state;
    this.tell({ type: 'state', state });
  }

  notice(level: 'info' | 'problem', text: string): void {
    this.tell({ type: 'notice', level, text });
  }
}
