import type { Delta } from '@palimpsest/llm-adapters';
import type { LoggedEvent, WorkPhase } from './session-event.js';

/** Follows what the agent does from moment to moment, by all that is told of a run. */
export class WorkPhases {
  /** What the agent does, but for a condensation that holds it up. */
  #phase: WorkPhase = 'asking';
  /** Calls of tools without a result. */
  readonly #openCalls = new Set<string>();
  #agentCalls = 0;
  #condenserCalls = 0;

  /** Work begins. */
  begin(phase: WorkPhase): void {
    this.#phase = phase;
  }

  /** Another log is open: the calls of the one before are its own. */
  forgetCalls(): void {
    this.#openCalls.clear();
  }

  logged({ event, told }: LoggedEvent): void {
    if (event.type === 'action') {
      this.#openCalls.add(event.id);
      this.#phase = 'tools';
    }
    for (const each of told) if (each.type === 'tool-result') this.#openCalls.delete(each.call ?? '');
    if (this.#openCalls.size === 0 && this.#phase === 'tools') this.#phase = 'asking';
  }

  delta({ type }: Delta): void {
    this.#phase = type === 'restart' ? 'asking' : 'answering';
  }

  retried(): void {
    this.#phase = 'retrying';
  }

  /** A model call begins (1) or ends (-1). */
  modelCall(purpose: 'agent' | 'condenser', change: 1 | -1): void {
    if (purpose === 'agent') this.#agentCalls += change;
    else this.#condenserCalls += change;
    if (purpose === 'agent' && change > 0) this.#phase = 'asking';
  }

  /** What is to be shown. A condenser that asks a model holds the agent up if the agent does nothing meanwhile. */
  shown(isWorking: boolean): { readonly phase: WorkPhase; readonly isCondensingBehind: boolean } {
    const isIdle = this.#agentCalls === 0 && this.#openCalls.size === 0;
    const holdsUp = this.#condenserCalls > 0 && isIdle && isWorking;
    return { phase: holdsUp ? 'condensing' : this.#phase, isCondensingBehind: this.#condenserCalls > 0 && !holdsUp };
  }
}
