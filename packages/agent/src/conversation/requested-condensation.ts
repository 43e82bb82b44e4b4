import type { Condensation, EventId } from '@palimpsest/events';
import { isCondensation, untilAborted } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import { isEmpty } from '../condensing/condense-once.js';
import { revertOf } from '../condensing/revert.js';
import type { StepOptions } from '../step/step-options.js';
import type { ConversationLog } from './conversation-log.js';
import type { RequestOptions } from './conversation-options.js';
import { PendingCondensations } from './pending-condensations.js';

/**
 * Condensations between two runs, and reverts: those that the user asks for, and those that a run has begun in the background. One is under
 * way at a time.
 */
export class RequestedCondensation {
  readonly #agent: Agent;
  readonly #log: ConversationLog;
  readonly #pending = new PendingCondensations();
  /** What answers the open request in the place of the agent's condenser. Not in the log: after a restart the agent's own does. */
  #condenser: Condenser | undefined;
  #underWay: Promise<View | Condensation> | undefined;
  #lastRevert: Promise<void> = Promise.resolve();

  constructor(agent: Agent, log: ConversationLog) {
    this.#agent = agent;
    this.#log = log;
    log.events.observe(({ type }) => {
      if (type === 'condensation') this.#condenser = undefined;
    });
  }

  /**
   * Appends a request and has the condenser act on it, or waits for the condensation that is under way. During a run the run's
   * next step acts on the request.
   */
  async make(
    { signal, focus, condenser }: RequestOptions,
    isRunning: () => boolean,
  ): Promise<Condensation | undefined> {
    if (this.#underWay === undefined) {
      const words = focus?.trim() ?? '';
      const request = { source: 'user', ...(words === '' ? {} : { focus: words }) } as const;
      await this.#log.append(this.#agent.createEvent('condensation-request', request));
      this.#condenser = condenser;
      if (isRunning()) return undefined;
    }
    const result = await this.#condense(signal);
    return isCondensation(result) && !isEmpty(result) ? result : undefined;
  }

  /**
   * Waits for what was begun in the background, and has the condenser take it.
   *
   * @param during - calls its work while nobody else writes; false: it did not, because a run goes on, which takes what there is
   */
  async takePending(
    during: (work: () => Promise<boolean>) => Promise<boolean>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const condense = async () => {
      await this.#condense(signal);
      return true;
    };
    await this.#pending.taken(() => during(condense), signal);
  }

  /** How a step answers the open request, and where it tells of what it leaves. */
  get stepOptions(): Pick<StepOptions, 'requestedCondenser' | 'onPending'> {
    return { requestedCondenser: () => this.#condenser, onPending: this.#pending.add };
  }

  #condense(signal: AbortSignal | undefined): Promise<View | Condensation> {
    const options = { ...this.#log.stepOptions(signal), ...this.stepOptions };
    this.#underWay ??= this.#agent.condense(this.#log.state, options).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** Resolves when none is under way, however it ended. */
  async settled(signal?: AbortSignal): Promise<void> {
    if (this.#underWay !== undefined) await untilAborted(this.#underWay, signal).catch(() => undefined);
  }

  /** Appends a revert, one after another. `assertAllowed` is called before it is made. */
  revert(condensationId: EventId, assertAllowed: () => void): Promise<void> {
    const reverted = this.#lastRevert.then(async () => {
      await this.settled();
      assertAllowed();
      const { events, state, createEvent } = this.#log;
      const { conversationId } = events;
      await this.#log.append(revertOf(condensationId, { conversationId, view: state.view, log: events }, createEvent));
    });
    this.#lastRevert = reverted.catch(() => undefined);
    return reverted;
  }
}
