import type { ContentPart, Event, ToolDefinition } from '@palimpsest/events';
import { createEvent, toolDefinition } from '@palimpsest/events';
import { usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import { ChangedMessagesError, UnreadMessageError, UnreadUsageError } from '@palimpsest/messages';
import type { CondensedHistory, FitOptions, Fitted } from '@palimpsest/messages';
import { recallTool } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { defaultPrices, View } from '@palimpsest/view';
import { accountOf } from './account.js';
import type { Account } from './account.js';
import { Boundary, shortened } from './boundary.js';
import type { BoundaryState } from './boundary.js';
import { amount, condensedPage, countedBy, statusLine } from './page.js';
import type { Shown } from './page.js';
import { untestedVersion } from './tested-versions.js';
import type { HostName } from './tested-versions.js';

/** The facts of the model that a request goes to. */
export type HostModel = Exclude<FitOptions['model'], string | undefined>;

/** A request, as its host describes it. */
export interface HostRequest extends Pick<
  FitOptions,
  'system' | 'tools' | 'fixedTokens' | 'condense' | 'focus' | 'signal'
> {
  readonly model?: HostModel | undefined;
  /** The price of an input token. Unit: USD. @defaultValue unknown */
  readonly usdPerToken?: number | undefined;
  /** False: the model of this request has no recall tool, and no text names it. @defaultValue true */
  readonly hasRecall?: boolean | undefined;
  /** The list is no request of the conversation: what is said of the session stays what it was. @defaultValue false */
  readonly isAside?: boolean | undefined;
}

/** The parts of a session that its host decides. */
export interface HostSessionOptions {
  readonly host: HostName;
  readonly hostVersion?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly isOn?: boolean | undefined;
  readonly problems?: readonly string[] | undefined;
  readonly condenser: Condenser;
  /** What the session's boundary remembered, where a host has started its plugin anew. @defaultValue nothing has failed */
  readonly boundary?: BoundaryState | undefined;
}

/** An answer of `recall`. */
export interface Recalled {
  readonly content: readonly ContentPart[];
  readonly isError: boolean;
}

/** The newest list, and what became of it. */
interface Newest<Message> {
  readonly messages: readonly Message[];
  readonly request: HostRequest;
  readonly fitted: Fitted<Message>;
  /** What its answer has cost. @defaultValue not known yet */
  readonly usage?: Event | undefined;
}

/**
 * Condensation of one conversation of a host. No method throws: what fails leaves the list as it is, is said by {@link HostSession.statusLine},
 * and is not tried again for a while.
 */
export class HostSession<Message> {
  readonly #id: string;
  readonly #history: CondensedHistory<Message>;
  readonly #options: HostSessionOptions;
  readonly #boundary: Boundary;
  #newest: Newest<Message> | undefined;
  #account: { readonly length: number; readonly account: Account } | undefined;
  #isOn: boolean;

  constructor(id: string, history: CondensedHistory<Message>, options: HostSessionOptions) {
    this.#id = id;
    this.#history = history;
    this.#options = options;
    this.#isOn = options.isOn ?? true;
    this.#boundary = new Boundary(options.boundary);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Turns condensation on or off from the next request on. Off, lists go as they are. */
  turn(isOn: boolean): void {
    this.#isOn = isOn;
  }

  /** What the boundary remembers, for {@link HostSessionOptions.boundary}. */
  get boundary(): BoundaryState {
    return this.#boundary.state;
  }

  /** What became of the newest list. Undefined before the first, or if it could not be read. */
  get newest(): Fitted<Message> | undefined {
    return this.#newest?.fitted;
  }

  /** Returns the list to send: the given one if nothing is to be changed. */
  async fit(messages: readonly Message[], request: HostRequest = {}): Promise<readonly Message[]> {
    if (!this.#isOn) return messages;
    const { condense = true } = request;
    const mayTry = condense === 'now' || (this.#boundary.step() && condense);
    // What was taken back is known once the log was read.
    const before =
      this.#newest?.fitted ?? (mayTry ? await this.#fit(messages, { ...request, condense: false }) : undefined);
    const isHeld = condense !== 'now' && before !== undefined && isTakenBack(before.events);
    const fitted = await this.#fit(messages, { ...request, condense: isHeld || !mayTry ? false : condense });
    if (fitted === undefined) return messages;
    return fitted.state === 'untouched' ? messages : fitted.messages;
  }

  /** Records what the provider counted for the answer to the newest list. */
  async used(usage: unknown): Promise<void> {
    const newest = this.#newest;
    if (newest === undefined) return;
    await this.#boundary.run(async () => {
      await this.#history.used(usage, newest.fitted);
      // The history places it in the log at its next list.
      const counted = usageInAnyForm(usage);
      if (counted === undefined) return;
      const { tokensAfter: estimatedInputTokens } = newest.fitted;
      const fields = { responseId: 'newest', model: 'host', usage: counted, estimatedInputTokens, purpose: 'agent' };
      this.#newest = { ...newest, usage: createEvent('llm-usage', fields) };
    });
  }

  /** Condenses the newest list because the user asks. Returns what to tell them. */
  async condense(focus?: string): Promise<string> {
    if (!this.#isOn) return 'Palimpsest is off in this session.';
    const { messages, request } = this.#newest ?? {};
    if (messages === undefined || request === undefined) return 'There is nothing to condense yet.';
    const fitted = await this.#fit(messages, { ...request, condense: 'now', focus });
    if (fitted === undefined) return `Nothing was condensed: ${this.problem ?? 'it failed'}.`;
    const made = fitted.condensations.filter(
      ({ forgottenEventIds, redactions = [] }) => forgottenEventIds.length + redactions.length > 0,
    );
    if (made.length === 0) {
      const reason = fitted.reports.at(-1)?.reason ?? fitted.problem?.message;
      return `Nothing was condensed${reason === undefined ? '.' : `: ${reason}.`}`;
    }
    const counted = countedBy(this.#accountNow().countedPerEstimated);
    const problem =
      fitted.problem === undefined || isNotice(fitted.problem) ? '' : ` But: ${shortened(fitted.problem.message)}.`;
    return `Condensed: the next request holds ${counted(fitted.tokensAfter)} of ${counted(fitted.tokensBefore)} tokens.${problem}`;
  }

  /** Returns what it would cost to take the newest condensation back. Undefined if none is in force. */
  undoPrice(): string | undefined {
    const newest = this.#newestCondensation();
    if (newest === undefined) return undefined;
    const { condensation, untouchedTokens } = newest.details;
    const { read, write } = this.#prices;
    const log = this.#log;
    const now = View.fromEvents(log).tokens();
    const more = View.fromEvents([...log, revertOf(condensation.id)]).tokens() - now;
    const { countedPerLogged } = this.#accountNow();
    const counted = countedBy(countedPerLogged);
    const once = ((now - untouchedTokens) * (write - read) + more * write) * countedPerLogged;
    const { usdPerToken } = this.#newest?.request ?? {};
    return `The next request grows from ${counted(now)} to ${counted(now + more)} tokens and is written again, once for ${amount(once, { usdPerToken })}; each later one reads ${counted(more)} tokens more.`;
  }

  /** Takes the newest condensation back. No other is made then until the user asks for one. Returns what to tell them. */
  async undo(): Promise<string> {
    const newest = this.#newestCondensation();
    const { messages, request, fitted } = this.#newest ?? {};
    if (newest === undefined || messages === undefined || request === undefined || fitted === undefined)
      return 'No condensation is in force: the model reads all of the conversation.';
    const isDone = await this.#boundary.run(() => this.#history.revert(newest.details.condensation.id, fitted));
    if (isDone !== true) return `Nothing was taken back: ${this.problem ?? 'the condensation is not in force'}.`;
    await this.#fit(messages, { ...request, condense: false });
    return 'Taken back. No condensation is made now until you ask for one.';
  }

  /** The tool by which the model gets hidden text back. Declare it from the first request on. */
  get recallTool(): ToolDefinition {
    return toolDefinition(recallTool({ condenser: this.#options.condenser }));
  }

  /**
   * Answers a call of the recall tool.
   *
   * @param messages - the list in which to look, if it is not the newest
   */
  async recall(input: unknown, messages?: readonly Message[]): Promise<Recalled> {
    const other = messages && (await this.#fit(messages, { ...this.#newest?.request, condense: false, isAside: true }));
    const log = (other ?? this.#newest?.fitted)?.events ?? [];
    const tool = recallTool({ condenser: this.#options.condenser });
    try {
      const output = await tool.execute(tool.parseInput(input), {
        actionId: 'recall',
        toolCallId: 'recall',
        log,
        event: (id) => log.find((event) => event.id === id),
        append: async () => {},
      });
      if (typeof output === 'string') return { content: [{ type: 'text', text: output }], isError: false };
      const { content, isError = false } = output;
      return { content: typeof content === 'string' ? [{ type: 'text', text: content }] : content, isError };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text', text }], isError: true };
    }
  }

  /** What is wrong now. Undefined if nothing is. */
  get problem(): string | undefined {
    return this.#boundary.problem;
  }

  /** The text of `/condensed`: what went, why, what it saved, what came back. */
  condensedPage(): string {
    return guarded(() => {
      const { host, hostVersion, problems = [] } = this.#options;
      const { problem } = this.#newest?.fitted ?? {};
      const notice = problem === undefined ? undefined : shortened(problem.message);
      const notes = [
        ...(this.#isOn ? [] : ['Palimpsest is off in this session.']),
        ...(this.problem === undefined ? [] : [`There is ${this.problem}`]),
        ...(notice === undefined || this.problem?.includes(notice) === true ? [] : [notice]),
        ...problems,
        ...[untestedVersion(host, hostVersion) ?? []].flat(),
      ];
      return condensedPage({ ...this.#shown, log: this.#log, notes });
    });
  }

  /** The text for a status bar: what is held, what is sent, what is saved; or that it is off, or the problem. */
  statusLine(): string {
    if (!this.#isOn) return 'off';
    const { problems = [] } = this.#options;
    const more = problems.length === 0 ? '' : ' · an option is wrong: /condensed';
    return this.problem ?? `${guarded(() => statusLine(this.#shown))}${more}`;
  }

  async #fit(messages: readonly Message[], request: HostRequest): Promise<Fitted<Message> | undefined> {
    const { system, signal, tools = [], condense, focus, fixedTokens, hasRecall = true, isAside = false } = request;
    const conversationId = this.#id;
    const all = hasRecall ? [...tools, this.recallTool] : tools;
    const model = this.#modelOf(request);
    const options = { conversationId, model, system, signal, tools: all, condense, focus, fixedTokens };
    const fitted = await this.#boundary.run(async () => {
      try {
        return await this.#history.fit(messages, options);
      } catch (error) {
        // A request that its user has stopped is no failure.
        if (signal?.aborted === true) return undefined;
        throw error;
      }
    });
    if (fitted === undefined) return undefined;
    if (fitted.problem !== undefined && !isNotice(fitted.problem)) this.#boundary.failed(fitted.problem);
    if (!isAside) this.#newest = { messages, request: { ...request, condense: true, focus: undefined }, fitted };
    return fitted;
  }

  /** A limit of the user's is a window for all that asks for one. */
  #modelOf({ model = {} }: HostRequest): HostModel {
    const { maxTokens } = this.#options;
    if (maxTokens === undefined) return model;
    return { ...model, contextWindow: Math.min(maxTokens, model.contextWindow ?? Infinity) };
  }

  get #prices() {
    return this.#newest?.request.model?.prices ?? defaultPrices;
  }

  get #shown(): Omit<Shown, 'log' | 'notes'> {
    const { fitted, request } = this.#newest ?? {};
    return {
      account: this.#accountNow(),
      held: fitted?.tokensBefore ?? 0,
      sent: fitted?.tokensAfter ?? 0,
      usdPerToken: request?.usdPerToken,
    };
  }

  /** The log of the newest list, with what its answer has cost. */
  get #log(): readonly Event[] {
    const { fitted, usage } = this.#newest ?? {};
    return [...(fitted?.events ?? []), ...(usage === undefined ? [] : [usage])];
  }

  #accountNow(): Account {
    const log = this.#log;
    if (this.#account?.length !== log.length) {
      const account = accountOf(log, this.#prices, this.#newest?.fitted.tokensAfter);
      this.#account = { length: log.length, account };
    }
    return this.#account.account;
  }

  #newestCondensation() {
    return this.#accountNow().condensations.findLast(({ details }) => details.revert === undefined);
  }
}

function revertOf(condensationId: string): Event {
  return createEvent('condensation-revert', { condensationId });
}

/** Returns true if the newest thing that was done to a history is that a condensation was taken back. */
function isTakenBack(log: readonly Event[]): boolean {
  const newest = log.findLast(
    (event) =>
      event.type === 'condensation-revert' ||
      (event.type === 'condensation' && event.forgottenEventIds.length + (event.redactions?.length ?? 0) > 0),
  );
  return newest?.type === 'condensation-revert';
}

/** Returns true for a remark on a list: nothing has failed. */
function isNotice(problem: Error): boolean {
  return [ChangedMessagesError, UnreadMessageError, UnreadUsageError].some((kind) => problem instanceof kind);
}

function guarded(text: () => string): string {
  try {
    return text();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
