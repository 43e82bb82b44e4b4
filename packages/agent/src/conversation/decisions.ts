import type { ActionEvent, EventId } from '@palimpsest/events';
import type { Agent } from '../agent.js';
import { confirmationOf } from '../confirmation.js';
import { rejected } from '../tool-calls/results.js';
import type { MaskedLog, WriteAccess } from './log.js';

/** The user's decisions about calls that wait. They are made one after another: each finds what the one before has left. */
export class Decisions {
  readonly #agent: Agent;
  readonly #log: MaskedLog;
  readonly #access: WriteAccess;
  readonly #isRunning: () => boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(agent: Agent, log: MaskedLog, access: WriteAccess, isRunning: () => boolean) {
    this.#agent = agent;
    this.#log = log;
    this.#access = access;
    this.#isRunning = isRunning;
  }

  /** The actions that wait for confirmation. */
  get waiting(): readonly ActionEvent[] {
    const { state, secrets } = this.#log;
    return this.#agent.unconfirmed(state.pendingActions, state).map((action) => secrets(action));
  }

  /** See `Conversation.confirm`. */
  confirm(actions: Iterable<EventId> | undefined): Promise<readonly ActionEvent[]> {
    const shown = actions === undefined ? undefined : new Set(actions);
    return this.#inTurn(async () => {
      const waiting = this.waiting.filter(({ id }) => shown?.has(id) ?? true);
      if (waiting.length === 0) return [];
      await this.#log.append(confirmationOf(waiting, this.#log.state.pendingActions, this.#agent.createEvent));
      if (!this.#isRunning() && this.waiting.length === 0) await this.#log.setStatus('idle');
      return waiting;
    });
  }

  /** See `Conversation.reject`. */
  reject(reason: string, actions: Iterable<EventId> | undefined): Promise<readonly ActionEvent[]> {
    const only = actions === undefined ? undefined : new Set(actions);
    const { createEvent } = this.#agent;
    const { secrets, state } = this.#log;
    return this.#inTurn(async () => {
      const open = state.pendingActions.filter(({ id }) => only?.has(id) ?? true);
      const refused = open.map((action) => rejected(action, { reason, source: 'user' }, createEvent));
      if (refused.length === 0 || this.#isRunning()) return [];
      await this.#log.append(refused);
      if (this.waiting.length === 0) {
        // What is left has not begun.
        if (state.pendingActions.length > 0)
          await this.#log.append(confirmationOf([], state.pendingActions, createEvent));
        await this.#log.setStatus('idle');
      }
      return open.map((action) => secrets(action));
    });
  }

  #inTurn<Result>(decide: () => Promise<Result>): Promise<Result> {
    const decided = this.#last.then(() => this.#access.during(decide));
    this.#last = decided.catch(() => undefined);
    return decided;
  }
}
