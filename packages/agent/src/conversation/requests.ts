import type { Condensation, CreateEvent, Event, EventId } from '@palimpsest/events';
import type { CompletionRequest } from '@palimpsest/llm-adapters';
import { isCondensation, untilAborted, View } from '@palimpsest/view';
import type { AttemptReport, Condenser, PendingCondensation } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import { nothingToForget } from '../condensing/condense.js';
import { CondensationNotInForceError } from '../errors.js';
import { maxCondensationsInARow } from '../limits.js';
import { recordedCost, usageOf } from '../model/call-cost.js';
import { observedCompletion } from '../model/call.js';
import { composedMessages } from '../model/composition.js';
import type { SecretMask } from '../secrets/mask.js';
import { isEmpty, textOf } from '../state.js';
import type { ConversationState } from '../state.js';
import { newIdFrom } from '../step.js';
import type { StepOptions } from '../step.js';
import type { MaskedLog } from './log.js';
import type { RequestOptions } from './options.js';

/**
 * Condensations between two runs, and reverts: those that the user asks for, and those that a run has begun in the background. One is under
 * way at a time.
 */
export class RequestedCondensation {
  readonly #agent: Agent;
  readonly #log: MaskedLog;
  readonly #pending = new PendingCondensations();
  /**
   * The condenser that answers the open request in the place of the agent's condenser. Not in the log: after a restart the agent's
   * own does.
   */
  #condenser: Condenser | undefined;
  #underWay: Promise<View | Condensation> | undefined;
  #lastRevert: Promise<void> = Promise.resolve();

  constructor(agent: Agent, log: MaskedLog) {
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

  /** The options with which a step answers the open request, and reports what it leaves in the background. */
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

/** Condensations that were begun in the background, and that no step has taken so far. */
class PendingCondensations {
  #pending: readonly PendingCondensation[] = [];

  readonly add = (pending: PendingCondensation): void => {
    this.#pending = [...this.#open(), pending];
  };

  /**
   * Waits for each, and calls the condenser, which then gives what still fits the view, and reports what does not.
   *
   * @param condense - calls the condenser once. It returns false if the condenser may not be called now, because a run goes on,
   *   which takes what there is
   * @throws the signal's reason, and what `condense` throws. What was not taken can be taken later.
   */
  async taken(condense: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
    // A condenser before it in a pipeline may act first; one that never comes to it would be called for ever.
    for (let calls = 0; calls < maxCondensationsInARow && this.#open().length > 0; calls++) {
      await untilAborted(Promise.all(this.#open().map(({ ready }) => ready)), signal);
      if (this.#open().length > 0 && !(await condense())) return;
    }
    this.#pending = [];
  }

  #open(): readonly PendingCondensation[] {
    return this.#pending.filter((pending) => !pending.isTaken());
  }
}

/** An answer outside the conversation, and the events that record its cost. */
export interface SideAnswer {
  readonly answer: string;
  readonly costs: readonly Event[];
}

/** Puts a question to the model outside the conversation, with the view that a step would send now. */
export async function askSideQuestion(
  question: string,
  agent: Agent,
  state: ConversationState,
  secrets: SecretMask,
  signal: AbortSignal | undefined,
): Promise<SideAnswer> {
  // Read together with the view that the condenser gets.
  const { messagesInForce: inForce, log, conversationId } = state;
  const { view, costs } = await shownView(agent, state, signal);
  const tools = secrets.tools(agent.toolDefinitions);
  const render = agent.renderOptions(state);
  const messages = composedMessages(view, { inForce, log, render });
  const { cache } = agent.sentPrompts.toSend(messages, log, render);
  const request = {
    messages: [...messages, { role: 'user', content: [{ type: 'text', text: secrets.text(question) }] }],
    // With the same tools, so that the provider's cache is hit.
    ...(tools.length === 0 ? {} : { tools, toolChoice: 'none' as const }),
    ...(conversationId === undefined
      ? {}
      : // The question is sent once; the messages before it are sent again.
        { cache: { key: conversationId, ...cache, stableMessages: messages.length } }),
    signal,
  } satisfies CompletionRequest;
  const { llm, instrumentation } = agent;
  const about = { llm, purpose: 'aside', conversationId, secrets, signal };
  const completion = await observedCompletion(request, about, instrumentation);
  const usage = agent.createEvent('llm-usage', {
    ...usageOf(completion, newIdFrom(agent.createEvent)),
    purpose: 'aside',
  });
  return { answer: secrets.text(textOf(completion.message.content)), costs: [...costs, usage] };
}

/**
 * Returns the condenser's view of the log. If the condenser returns a condensation, or fails, the question is asked with the whole
 * view: what it would forget can still be asked about. It is called without a window, so that only its own bounds make it act. Its
 * cost is recorded.
 */
async function shownView(
  { condenser, createEvent }: Agent,
  { view }: ConversationState,
  signal: AbortSignal | undefined,
): Promise<{ readonly view: View; readonly costs: readonly Event[] }> {
  if (condenser === undefined) return { view, costs: [] };
  const costs: Event[] = [];
  const reason = 'It was asked for a question beside the conversation, and nothing came of it.';
  const record = (told: Readonly<Record<string, unknown>> | undefined): void => {
    const paid = recordedCost(told);
    if (paid.data === undefined) return;
    costs.push(createEvent('condensation-attempt', { condenser: condenser.name, outcome: 'aside', reason, ...paid }));
  };
  try {
    const context = {
      preview: true,
      report: ({ data }: AttemptReport) => record(data),
      signal,
    };
    const condensed = await untilAborted((async () => condenser.condense(view, context))(), signal);
    if (!isCondensation(condensed)) return { view: condensed, costs };
    record(condensed.metadata);
    return { view, costs };
  } catch {
    signal?.throwIfAborted();
    return { view, costs };
  }
}

/**
 * Returns the events that revert a condensation: the revert, and before it an empty condensation if the reverted one had answered a
 * request. Without it the request would be open again, and the next step would make the same condensation.
 *
 * @throws {@link CondensationNotInForceError} when the log holds no condensation of this id, or it is already reverted.
 */
function revertOf(
  condensationId: EventId,
  state: { readonly conversationId: string; readonly view: View; readonly log: Iterable<Event> },
  createEvent: CreateEvent,
): readonly Event[] {
  const { conversationId, view, log } = state;
  if (!view.condensations.some(({ id }) => id === condensationId)) {
    const isKnown = view.original(condensationId)?.type === 'condensation';
    throw new CondensationNotInForceError(conversationId, condensationId, isKnown ? 'reverted' : 'unknown');
  }
  const revert = createEvent('condensation-revert', { condensationId });
  const isReopened =
    !view.unhandledCondensationRequest && View.fromEvents([...log, revert]).unhandledCondensationRequest;
  return isReopened ? [nothingToForget('agent', createEvent), revert] : [revert];
}
