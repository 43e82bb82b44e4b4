import { setTimeout as elapsed } from 'node:timers/promises';
import { EventStoreError } from '@palimpsest/events';
import { failuresAfter, isTriedAgain, retryDelayMs } from '@palimpsest/agent/runner';
import type { ConversationWork, RunningWork, WorkEnd, WorkHooks } from '@palimpsest/agent/runner';
import type { DbosRunnerOptions } from './options.js';
import { DeadLetterError } from './errors.js';
import type { Outages } from './outages.js';
import type { PutBack, Request, Requests } from './requests.js';
import type { Trouble, Troubles } from './troubles.js';

/** The parts of a worker that a serving needs. */
export interface ServingContext {
  readonly workerId: string;
  readonly options: DbosRunnerOptions;
  readonly requests: Requests;
  readonly troubles: Troubles;
  readonly outages: Outages;
  readonly running: RunningWork;
  /** Aborts when the worker ends: what is not noted by then, others do. */
  readonly closing: AbortSignal;
  /** Called when a request has got so far that others may run beside it again. */
  readonly onCleared?: (() => void) | undefined;
}

/** For so many polls a request waits that has to run alone and whose conversation is held elsewhere. */
const alonePolls = 60;

/** One request of a worker, from its claim to its end. */
export class Serving {
  readonly request: Request;
  readonly work: ConversationWork;
  readonly #context: ServingContext;

  constructor(request: Request, work: ConversationWork, context: ServingContext) {
    this.request = request;
    this.work = work;
    this.#context = context;
  }

  /**
   * Runs the conversation, unless it is not to be run here or now, and notes what came of it.
   *
   * @throws when the worker ends before that could be noted.
   */
  async done(): Promise<void> {
    const { conversationId, id, isAlone } = this.request;
    const { options, troubles, outages } = this.#context;
    const trouble = await this.#noted(() => troubles.of(conversationId));
    if (trouble.deadLetter?.reason === 'deaths') {
      options.onEnd({
        type: 'failed',
        conversationId,
        error: new DeadLetterError(conversationId, trouble.deadLetter.explanation),
      });
      return this.#end(undefined);
    }
    if (trouble.isToRunAlone !== isAlone) return this.#putBack({ isAlone: trouble.isToRunAlone });
    const provider = trouble.provider ?? options.providerOf?.(conversationId);
    const waitMs = provider === undefined ? 0 : await this.#noted(() => outages.waitMs(provider, id));
    if (waitMs > 0) return this.#putBack({ delayMs: waitMs, isAlone });
    const onResult = async () => {
      if (isAlone && !(await this.#isToRunAlone())) this.#context.onCleared?.();
    };
    const answers = new Answers(this.#context, { trouble, provider, conversationId, onResult });
    const begin = () =>
      this.#context.requests.begin(this.#context.workerId, id).catch((cause: unknown) => {
        throw new EventStoreError('PostgreSQL could not note that a run begins.', { cause });
      });
    const end = await this.#context.running.run(this.work, { begin, onEvent: answers.onEvent });
    if (provider !== undefined && !answers.hasAnswered) await this.#noted(() => outages.release(id));
    if (end.type === 'over') return this.#end(trouble);
    if (end.type === 'handed-over')
      return this.#putBack({ isAlone: trouble.hasDeaths && (await this.#isToRunAlone()) });
    let isKept = false;
    try {
      isKept = await this.#again(end, answers.hasAnswered ? undefined : trouble);
    } finally {
      if (!isKept) options.onEnd({ type: 'handed-over', conversationId });
    }
  }

  async #isToRunAlone(): Promise<boolean> {
    const { isToRunAlone } = await this.#noted(() => this.#context.troubles.of(this.request.conversationId));
    return isToRunAlone;
  }

  /**
   * Resolves to false if the request is another worker's by now.
   *
   * @param trouble - what stood before this try, unless it has got further than that
   */
  async #again(end: Extract<WorkEnd, { readonly type: 'again' }>, trouble: Trouble | undefined): Promise<boolean> {
    const { id, conversationId, claims } = this.request;
    const { options, troubles, outages, workerId } = this.#context;
    const isAlone = this.request.isAlone && (await this.#isToRunAlone());
    const held = { id, worker: workerId };
    const { onEnd, retryMs } = options;
    if (end.reason === 'busy') {
      // A worker has handed over its other runs for it.
      const leastMs = isAlone ? alonePolls * (options.pollMs ?? 1_000) : 0;
      const delayMs = Math.max(leastMs, retryDelayMs(end, claims, retryMs));
      onEnd({ type: 'failed', conversationId, error: end.error, retryInMs: delayMs });
      return this.#isPutBack({ delayMs, isAlone });
    }
    const failures = failuresAfter(trouble?.failures, end.reason);
    const delayMs = retryDelayMs(end, failures.count, retryMs);
    const isTried = isTriedAgain(failures, options);
    onEnd({ type: 'failed', conversationId, error: end.error, ...(isTried ? { retryInMs: delayMs } : {}) });
    if (end.reason === 'provider')
      await this.#noted(() => outages.failed(end.provider, retryMs ?? 1_000, end.retryAfterMs));
    if (isTried) {
      const provider = end.reason === 'provider' ? end.provider : undefined;
      await this.#noted(() => troubles.failed(held, conversationId, failures, provider));
      return this.#isPutBack({ delayMs, isAlone });
    }
    const { reason } = end;
    const explanation = `It failed ${failures.count} times in a row since ${new Date(failures.since).toISOString()}: ${String(end.error)}`;
    await this.#noted(() => troubles.giveUp(held, conversationId, reason, explanation));
    await this.#end(undefined);
    return true;
  }

  async #end(trouble: Trouble | undefined): Promise<void> {
    const { conversationId, id } = this.request;
    const { requests, troubles, workerId } = this.#context;
    if (
      trouble !== undefined &&
      (trouble.hasDeaths || trouble.failures !== undefined || trouble.deadLetter !== undefined)
    )
      await this.#noted(() => troubles.clear(conversationId));
    await this.#noted(() => requests.end(workerId, id));
  }

  async #putBack(where: PutBack): Promise<void> {
    const { requests, workerId } = this.#context;
    await this.#noted(() => requests.putBack(workerId, this.request.id, where));
  }

  /** Puts it back, unless it is another worker's by now; tells a cancel that came meanwhile. */
  async #isPutBack(where: PutBack): Promise<boolean> {
    const { conversationId, id } = this.request;
    const { requests, workerId, options } = this.#context;
    if (await this.#noted(() => requests.putBack(workerId, id, where))) return true;
    const [cancelled] = await this.#noted(() => requests.cancelledOf(workerId, [id]));
    if (cancelled === undefined) return false;
    options.onEnd({ type: 'cancelled', conversationId });
    await this.#end(undefined);
    return true;
  }

  /** Does it again until it succeeds: nothing else may be done with the request before. */
  async #noted<T>(work: () => Promise<T>): Promise<T> {
    const { closing, options } = this.#context;
    for (;;) {
      closing.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        options.onTrouble?.(error);
        await elapsed(options.retryMs ?? 1_000, undefined, { signal: closing });
      }
    }
  }
}

/** The first answer of the model and the first result of an action in a run: they say that what went wrong before is over. */
class Answers {
  readonly onEvent: NonNullable<WorkHooks['onEvent']>;
  hasAnswered = false;

  constructor(
    { options, requests, troubles, outages }: ServingContext,
    {
      trouble,
      provider,
      conversationId,
      onResult,
    }: {
      readonly trouble: Trouble;
      readonly provider: string | undefined;
      readonly conversationId: string;
      /** Called when the deaths before the first result are in no row any more. */
      readonly onResult: () => Promise<void>;
    },
  ) {
    let hasResult = !trouble.hasDeaths;
    const attempt = (work: () => Promise<unknown>) => void work().catch((error: unknown) => options.onTrouble?.(error));
    const providerIsUp = async (up: string) => {
      if (await outages.answered(up)) await requests.wake(await troubles.failedBy(up));
    };
    this.onEvent = ({ type }) => {
      if (type === 'llm-usage' && !this.hasAnswered) {
        this.hasAnswered = true;
        if (provider !== undefined) attempt(() => providerIsUp(provider));
      }
      if (type === 'observation' && !hasResult) {
        hasResult = true;
        attempt(async () => {
          try {
            await troubles.hasResult(conversationId);
          } catch (error) {
            // The next result says it, too.
            hasResult = false;
            throw error;
          }
          await onResult();
        });
      }
    };
  }
}
