import { createEvent, messageContent } from '@palimpsest/events';
import type { Condensation, Event, LLMConvertibleEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser } from '@palimpsest/view';
import type { SummaryInput } from '../src/authoring/model/prompt.js';
import type { Summarizer, SummaryResult } from '../src/authoring/summaries/summarizer.js';
import { slidingWindowCondenser } from '../src/sliding-window/sliding-window.js';

/** Returns a summariser that says which requests it read, and keeps what it was given. */
export function readingSummarizer(answer?: (input: SummaryInput, call: number) => unknown) {
  const inputs: SummaryInput[] = [];
  const summarizer: Summarizer = {
    model: 'reader',
    summarize: async (input) => {
      inputs.push(input);
      const given = answer?.(input, inputs.length);
      if (given !== undefined) return given as SummaryResult;
      return { text: `S(${requestsOf(input.events)})` };
    },
  };
  return { summarizer, inputs };
}

/** Which requests a list of events belongs to, as `1-3` or `4`, read from their texts. */
export function requestsOf(events: readonly LLMConvertibleEvent[]): string {
  const numbers = events.flatMap((event) => {
    const text =
      event.type === 'message' ? messageContent(event).map((part) => (part.type === 'text' ? part.text : '')) : [];
    return text.flatMap((one) => /^(?:request|answer) (\d+)/.exec(one)?.[1] ?? []).map(Number);
  });
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.length === 0 ? 'none' : first === last ? `${first}` : `${first}-${last}`;
}

/** A conversation that a condenser is asked about before each model call. */
export class Session {
  readonly log: LogBuilder;
  readonly attempts: AttemptReport[] = [];
  readonly made: Condensation[] = [];
  /** What each window was made after: the number of requests that were completed then. */
  readonly windows: string[] = [];
  requests = 0;
  readonly #condenser: Condenser | undefined;
  readonly #keepsAttempts: boolean;

  /** @param options `goesOn`: a session that this one goes on from. */
  constructor(
    condenser?: Condenser,
    options: { readonly keepsAttempts?: boolean; readonly goesOn?: Session | undefined } = {},
  ) {
    const { keepsAttempts = true, goesOn } = options;
    this.#condenser = condenser;
    this.#keepsAttempts = keepsAttempts;
    this.log = logBuilder(goesOn === undefined ? {} : { idPrefix: 'later-' });
    if (goesOn === undefined) this.log.system();
    else this.log.add(...goesOn.log.events);
    this.requests = goesOn?.requests ?? 0;
  }

  get view(): View {
    return View.fromEvents(this.log.events);
  }

  /** What the model reads, in short: request and answer numbers, summaries, and the rest by type. */
  get shown(): readonly string[] {
    return [...this.view.events].map((event) => {
      if (event.type === 'condensation-summary') return event.summary;
      if (event.type !== 'message') return event.type;
      return messageContent(event)
        .map((part) => (part.type === 'text' ? part.text.split(' ').slice(0, 2).join(' ') : part.type))
        .join();
    });
  }

  /** The user asks; the condenser is asked before the model is. */
  async request(): Promise<void> {
    this.log.user(`request ${++this.requests} ${'please '.repeat(20)}`);
    await this.condense();
  }

  /** A call and its result, and the condenser is asked before the next model call. */
  async step(result = 'output '.repeat(30)): Promise<void> {
    this.log.call('run', { command: `of request ${this.requests}` }, result);
    await this.condense();
  }

  answer(): void {
    this.log.agent(`answer ${this.requests} ${'done '.repeat(20)}`);
  }

  /** So many requests, each with a call and an answer. */
  async run(requests: number): Promise<void> {
    for (let count = 0; count < requests; count++) {
      await this.request();
      await this.step();
      this.answer();
    }
  }

  /** Asks the condenser until it returns a view, and appends what it returns and reports. */
  async condense(context: Omit<CondenseContext, 'report'> = {}): Promise<void> {
    if (this.#condenser === undefined) return;
    for (let round = 0; round < 5; round++) {
      const attempts: AttemptReport[] = [];
      const result = await this.#condenser.condense(this.view, {
        ...context,
        report: (attempt) => attempts.push(attempt),
      });
      this.attempts.push(...attempts);
      if (this.#keepsAttempts) {
        for (const attempt of attempts)
          this.add(createEvent('condensation-attempt', { condenser: 'host', ...attempt }));
      }
      if (!isCondensation(result)) return;
      this.made.push(result);
      this.windows.push(`${this.requests - 1}: ${result.summary}`);
      this.add(result);
    }
    throw new Error('it does not settle');
  }

  /** Asks the condenser once; `undefined` where it says that it cannot. */
  async condenseOnce(): Promise<View | Condensation | NoCondensationAvailableError> {
    try {
      return await (this.#condenser as Condenser).condense(this.view, {
        report: (attempt) => this.attempts.push(attempt),
      });
    } catch (error) {
      if (NoCondensationAvailableError.isInstance(error)) return error;
      throw error;
    }
  }

  add(...events: readonly Event[]): void {
    this.log.add(...events);
  }
}

/** Returns a session with windows of three requests and an overlap of one, and what the summariser was given. */
export function threeByOne(goesOn?: Session) {
  const { summarizer, inputs } = readingSummarizer();
  const condenser = slidingWindowCondenser({ compactionInterval: 3, overlapSize: 1, summarizer });
  return { condenser, inputs, session: new Session(condenser, { goesOn }) };
}

/** Returns the summaries that a session shows. */
export const summaries = ({ shown }: Session) => shown.filter((text) => text.startsWith('S('));
/** Returns the ids of a view's events. */
export const idsOf = (view: View, from: number, to?: number) => view.events.slice(from, to).map(({ id }) => id);
