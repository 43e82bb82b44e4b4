import type { Delta, FailedAttempt } from '@palimpsest/llm-adapters';
import { retryEvent } from '../output/phrases.js';
import type { LoggedEvent, SessionListeners, WorkPhase } from './session-events.js';

/** A reporter of the events of a run, and of the agent's present phase. */
export class WorkPhases {
  readonly #listeners: SessionListeners;
  /** The work of the agent, but for a condensation that holds it up. */
  #phase: WorkPhase = 'asking';
  /** Calls of tools without a result. */
  readonly #openCalls = new Set<string>();
  #agentCalls = 0;
  #condenserCalls = 0;
  #isBehind = false;

  constructor(listeners: SessionListeners) {
    this.#listeners = listeners;
  }

  /** Called when work begins. A run begins with the calls that have waited for a yes, and asks the model after them. */
  begin(phase: WorkPhase): WorkPhase {
    this.#phase = phase === 'asking' && this.#openCalls.size > 0 ? 'tools' : phase;
    return this.#phase;
  }

  /** Called when another log is open, in which these calls wait: those of the one before are its own. */
  enter(waiting: readonly string[]): void {
    this.#openCalls.clear();
    for (const id of waiting) this.#openCalls.add(id);
  }

  logged({ event, told }: LoggedEvent): void {
    this.#listeners.report({ type: 'logged', event, told });
    if (event.type === 'action') {
      this.#openCalls.add(event.id);
      this.#phase = 'tools';
    }
    for (const each of told) if (each.type === 'tool-result') this.#openCalls.delete(each.call ?? '');
    if (this.#openCalls.size === 0 && this.#phase === 'tools') this.#phase = 'asking';
    this.show();
  }

  delta(delta: Delta): void {
    this.#phase = delta.type === 'restart' ? 'asking' : 'answering';
    this.show();
    this.#listeners.report({ type: 'delta', delta });
  }

  retried(failure: FailedAttempt): void {
    this.#phase = 'retrying';
    this.show();
    this.#listeners.report(retryEvent(failure));
  }

  /** Called when a model call begins (1) or ends (-1). */
  modelCall(purpose: 'agent' | 'condenser', change: 1 | -1): void {
    if (purpose === 'agent') this.#agentCalls += change;
    else this.#condenserCalls += change;
    if (purpose === 'agent' && change > 0) this.#phase = 'asking';
    this.show();
  }

  /** Reports the phase, and whether a summary is made in the background, where that has changed. */
  show(): void {
    const { state } = this.#listeners;
    const { phase, isCondensingBehind } = this.#shown(state.type === 'working');
    if (isCondensingBehind !== this.#isBehind) {
      this.#listeners.report({ type: 'background', isCondensing: isCondensingBehind });
    }
    this.#isBehind = isCondensingBehind;
    if (state.type === 'working' && state.phase !== phase) this.#listeners.setState({ ...state, phase });
  }

  /** The state to show. A condenser that asks a model holds the agent up if the agent does nothing meanwhile. */
  #shown(isWorking: boolean): { readonly phase: WorkPhase; readonly isCondensingBehind: boolean } {
    const isIdle = this.#agentCalls === 0 && this.#openCalls.size === 0;
    const holdsUp = this.#condenserCalls > 0 && isIdle && isWorking;
    return { phase: holdsUp ? 'condensing' : this.#phase, isCondensingBehind: this.#condenserCalls > 0 && !holdsUp };
  }
}
