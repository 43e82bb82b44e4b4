import { createEvent } from '@palimpsest/events';
import type { EventId, Usage } from '@palimpsest/events';
import { field, listOf, textOf } from '@palimpsest/llm-adapters/wire';
import { recallToolName } from '@palimpsest/relevance-tool';
import { View } from '@palimpsest/view';
import { withVerifiedThinking } from './output/thinking.js';
import { withMarks } from './output/cache-marks.js';
import { canonical, digestOf, messageDigest } from './log/digest.js';
import type { Codec } from './codecs/codec.js';
import { defersTools, loadedTools } from './codecs/deferred-tools.js';
import { UnreadMessageError } from './errors.js';
import type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
import { fixedTokens, Room } from './room/room.js';
import type { ChangeWatch } from './log/change-watch.js';
import { HistoryLog } from './log/history-log.js';
import type { LogOptions } from './log/history-log.js';
import { modelOf, modelOptionsOf } from './model.js';
import type { Model } from './model.js';
import { OutputWriter, SentChain } from './output/output.js';
import type { SentMessage } from './output/output.js';
import type { OwnEvents, Placement } from './log/own-events.js';
import { actionOf, answerTo } from './own-tools.js';
import type { OwnAnswer, OwnTools, ToolAnswer } from './own-tools.js';

/** The number of lists of one conversation that are kept read: branches. */
const maxLogs = 4;

/**
 * The memory that a conversation takes, measured on recorded ones: messages, events, snapshots. Unit: bytes a
 * character.
 */
const bytesPerCharacter = 7;

/** The refusal of a request, after which a fit goes further. Empty for an ordinary fit. */
export interface Refusal {
  /** No thinking that is bound to its prefix is sent. @defaultValue false */
  readonly withoutThinking?: boolean;
  /** The window that the view has to fit into with room for more, as the view estimates. Unit: tokens. @defaultValue no need to condense */
  readonly window?: number;
}

/** The parts that the conversations of a history share. */
export interface Shared {
  readonly tools: OwnTools;
  readonly changes: ChangeWatch;
}

/** One conversation: what was read of its lists, and our own events. One fit at a time. */
export class HostConversation {
  readonly #options: CondensedHistoryOptions<unknown>;
  readonly #own: OwnEvents;
  readonly #tools: OwnTools;
  readonly #changes: ChangeWatch;
  readonly #chain = new SentChain();
  readonly #placements = new WeakMap<Fitted<unknown>, Placement>();
  readonly #writer: OutputWriter;
  /** The one that was used last is the last. */
  readonly #logs: HistoryLog[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  /** @param own - the events of all conversations with this name */
  constructor(own: OwnEvents, options: CondensedHistoryOptions<unknown>, shared: Shared) {
    this.#options = options;
    this.#tools = shared.tools;
    this.#changes = shared.changes;
    this.#own = own;
    this.#writer = new OutputWriter(options.codec, shared.tools.label, options.repair);
  }

  get name(): string {
    return this.#own.name;
  }

  /** Estimated. Unit: bytes. */
  get bytes(): number {
    return this.#logs.reduce((sum, { list }) => sum + list.characters, 0) * bytesPerCharacter;
  }

  /** The answer of one of the history's tools to a call in the list. Undefined if the call is of another tool, or not there. */
  answerTo(toolCallId: string, messages: readonly unknown[], options: FitOptions): Promise<ToolAnswer | undefined> {
    return this.#inTurn(async () => {
      const now = this.#options.now ?? (() => new Date());
      await this.#own.load(options.signal);
      const log = await this.#logOf(messages, options, this.#modelOf(options, now()));
      const { events } = log;
      const action = actionOf(events, toolCallId);
      const tool = this.#tools.tools.find(({ name }) => name === action?.toolCall.name);
      return action === undefined || tool === undefined
        ? undefined
        : written(await answerTo(tool, action, events), log, this.#options.codec);
    });
  }

  fit(messages: readonly unknown[], options: FitOptions, refusal: Refusal = {}): Promise<Fitted<unknown>> {
    return this.#inTurn(() => this.#fit(messages, options, refusal));
  }

  /** Fits a list that the provider has refused as too long. From now on the window counts for the model. Unit: tokens, as the view estimates. */
  fitAfterOverflow(messages: readonly unknown[], options: FitOptions, window: number): Promise<Fitted<unknown>> {
    return this.#inTurn(() => {
      this.#own.addWindow(window, this.#modelOf(options).name);
      return this.#fit(messages, options, { window });
    });
  }

  /** Records what the provider counted for a fitted list. */
  used(usage: Usage, fitted: Fitted<unknown>, options: FitOptions): Promise<void> {
    return this.#inTurn(async () => {
      const placement = this.#placements.get(fitted);
      if (placement === undefined) return;
      const { name: model } = this.#modelOf(options);
      const { tokensAfter } = fitted;
      const responseId = `answer-to-${placement.place.count}`;
      const fields = { responseId, model, usage, estimatedInputTokens: tokensAfter, purpose: 'agent' };
      this.#own.add(placement, [createEvent('llm-usage', fields)]);
      await this.#own.flush();
    });
  }

  /** Takes back a condensation of a fitted list. Returns false if none of this id is in force there. */
  revert(condensationId: EventId, fitted: Fitted<unknown>): Promise<boolean> {
    return this.#inTurn(async () => {
      const placement = this.#placements.get(fitted);
      const { events } = fitted;
      const isInForce = View.fromEvents(events).condensations.some(({ id }) => id === condensationId);
      if (placement === undefined || !isInForce) return false;
      const revert = createEvent('condensation-revert', { condensationId });
      // The request that it had answered would be open again.
      const isReopened = View.fromEvents([...events, revert]).unhandledCondensationRequest;
      const metadata = { condenser: 'host', reason: 'nothing-to-forget' };
      const answer = isReopened ? [createEvent('condensation', { forgottenEventIds: [], metadata })] : [];
      this.#own.add(placement, [...answer, revert]);
      await this.#own.flush();
      return true;
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #fit(messages: readonly unknown[], options: FitOptions, refusal: Refusal): Promise<Fitted<unknown>> {
    const { signal } = options;
    const now = this.#options.now ?? (() => new Date());
    const model = this.#modelOf(options, now());
    const problems: Error[] = [];
    const attempt = async (what: () => Promise<void>): Promise<void> => {
      try {
        await what();
      } catch (error) {
        signal?.throwIfAborted();
        problems.push(error instanceof Error ? error : new Error(String(error)));
      }
    };
    await attempt(() => this.#own.load(signal));
    let log: HistoryLog;
    try {
      log = await this.#logOf(messages, options, model);
    } catch (error) {
      signal?.throwIfAborted();
      return this.#unread(messages, model, { error, tail: options.tail });
    }
    const sizeBefore = log.sizeSoFar();
    const changed = this.#changes.look(log);

    const condenses = options.condense !== false || refusal.window !== undefined;
    const told = this.#own.windowOf(model.name);
    const room = new Room(log, {
      condenser: this.#tools.condenser,
      condenserTimeoutMs: this.#options.condenserTimeoutMs,
      context: {
        signal,
        contextWindow: refusal.window ?? leastOf(model.contextWindow, told),
        maxOutputTokens: model.maxOutputTokens,
        fixedTokens: fixedTokens(options, this.#options.codec, model),
        prices: model.prices,
        focus: options.condense === 'now' ? options.focus : undefined,
        cacheLifeMs: model.cacheLifeMs,
        now: now().toISOString(),
      },
      refused: refusal.window,
      request: options.condense === 'now' ? { focus: options.focus } : undefined,
      told,
      canRecall: namesOf(options.tools).includes(recallToolName),
    });
    if (condenses) {
      await attempt(() => room.condense());
      room.reset();
    }
    const { view, condensations, reports } = room;

    const { tail = [] } = options;
    let sent: unknown[] | undefined;
    await attempt(async () => {
      sent = this.#send(messages, log, view, { model, options, refusal });
    });
    sent ??= [...openList(messages, this.#options.codec, model), ...tail];
    await attempt(() => this.#own.flush());
    const { length } = log.events;
    const [problem = this.#unreadIn(log) ?? changed] = problems;
    const fitted: Fitted<unknown> = {
      messages: sent,
      state: isSameList(sent, tail.length === 0 ? messages : [...messages, ...tail]) ? 'untouched' : 'condensed',
      condensations,
      reports,
      // Counting reads each text, and not every host reads the counts.
      get tokensBefore() {
        return sizeBefore();
      },
      get tokensAfter() {
        return view.tokens();
      },
      view,
      get events() {
        return log.events.slice(0, length);
      },
      ...(problem === undefined ? {} : { problem }),
    };
    this.#placements.set(fitted, log.placement());
    return fitted;
  }

  /** Returns the messages to send of a list that cannot be read: a codec, or what follows from a call, has failed. */
  #unread(
    messages: readonly unknown[],
    model: Model,
    { error, tail = [] }: { readonly error: unknown; readonly tail?: readonly unknown[] | undefined },
  ): Fitted<unknown> {
    const open = openList(messages, this.#options.codec, model);
    const sent = [...open, ...tail];
    const problem = error instanceof Error ? error : new Error(String(error));
    const state = isSameList(open, messages) ? 'untouched' : 'condensed';
    const nothing = {
      condensations: [],
      reports: [],
      tokensBefore: 0,
      tokensAfter: 0,
      view: View.fromEvents([]),
      events: [],
    };
    return { messages: sent, state, ...nothing, problem };
  }

  #unreadIn({ list }: HistoryLog): UnreadMessageError | undefined {
    const index = list.firstUnread;
    const form = list.at(index)?.unread;
    return form && new UnreadMessageError({ index, codec: this.#options.codec.name, form });
  }

  #modelOf({ model }: FitOptions, now = new Date()): Model {
    return modelOf(modelOptionsOf(this.#options, model), now);
  }

  /** The log that has read most of the list. */
  async #logOf(messages: readonly unknown[], { system, tools, signal }: FitOptions, model: Model): Promise<HistoryLog> {
    const { codec, now = () => new Date() } = this.#options;
    const { name, thinking, estimateTokens, maxPages } = model;
    const options: LogOptions = {
      ...{ codec, own: this.#own, now, model: name, thinking, estimateTokens, following: this.#tools.following },
      instructions: (codec.instructions ?? instructionsOf)(system),
      defersTools: defersTools(tools),
      maxPages,
    };
    const known = this.#logs.findLast((log) => {
      if (!log.isFor(options) || log.list.common(messages) < log.list.length) return false;
      const next = messages[log.list.length];
      return next === undefined || !log.continuesLast(codec.read(next));
    });
    let log = known ?? new HistoryLog(options, this.#branchingOff(messages));
    if (known !== undefined) this.#logs.splice(this.#logs.indexOf(known), 1);
    if (!(await log.readOn(messages, signal))) {
      log = new HistoryLog(options, { log, count: log.list.length });
      await log.readOn(messages, signal);
    }
    this.#logs.push(log);
    if (this.#logs.length > maxLogs) {
      this.#logs.shift();
      this.#own.settle();
    }
    return log;
  }

  /** Returns what is read already of a list that goes on in another way. */
  #branchingOff(messages: readonly unknown[]): { readonly log: HistoryLog; readonly count: number } | undefined {
    const counts = this.#logs.map(({ list }) => list.common(messages));
    const count = Math.max(0, ...counts);
    const log = this.#logs[counts.lastIndexOf(count)];
    return log === undefined ? undefined : { log, count };
  }

  #send(
    messages: readonly unknown[],
    log: HistoryLog,
    view: View,
    how: { readonly model: Model; readonly options: FitOptions; readonly refusal: Refusal },
  ): unknown[] {
    const { codec } = this.#options;
    const { system, tools, tail = [] } = how.options;
    const isUntouched = this.#writer.leavesUntouched(log, view);
    if (isUntouched && tail.length === 0 && !this.#binds(how)) return [...messages];
    const sent = isUntouched
      ? messages.map((message, index) => ({ message, index }))
      : this.#writer.write(messages, log, view);
    const isSame =
      sent.length === messages.length && sent.every(({ message, index }) => message === messages[index ?? -1]);
    const behind = tail.map((message): SentMessage => {
      return { message, index: undefined, digest: () => messageDigest(codec.read(message)) };
    });
    const verified = this.#binds(how) ? this.#verified([...sent, ...behind], log, how) : [...sent, ...behind];
    const [kept, last] = [
      verified.slice(0, verified.length - tail.length),
      verified.slice(verified.length - tail.length),
    ];
    const beside = [system, tools, ...tail.map((message) => field(message, 'content'))];
    const made = [...withMarks(kept, messages, codec, beside), ...last].map(({ message }) => message);
    const isArranged = isSame && tail.length === 0;
    return isArranged || codec.arranged === undefined ? made : [...codec.arranged(made)];
  }

  /**
   * Returns true if the provider refuses thinking after an edit. A model that has done so once does it again, whatever
   * its name says.
   */
  #binds({ model, refusal }: { readonly model: Model; readonly refusal: Refusal }): boolean {
    return model.bindsThinking || refusal.withoutThinking === true || this.#own.leftOut.length > 0;
  }

  #verified(
    sent: readonly SentMessage[],
    log: HistoryLog,
    { options, refusal }: { readonly options: FitOptions; readonly refusal: Refusal },
  ): readonly SentMessage[] {
    const { codec, unknownThinking } = this.#options;
    const { system, tools } = options;
    return withVerifiedThinking(sent, {
      codec,
      log,
      own: this.#own,
      chain: this.#chain,
      beside: digestOf(JSON.stringify(canonical([system, loadedTools(tools)]))),
      leavesOutAll: refusal.withoutThinking === true,
      supersedes: refusal.withoutThinking === true || refusal.window !== undefined,
      sendsUnknown: unknownThinking === 'sent',
    });
  }
}

function leastOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** The names of tools in the form of any API. */
function namesOf(tools: readonly unknown[] = []): readonly string[] {
  return tools.flatMap((tool) => textOf(field(tool, 'name') ?? field(field(tool, 'function'), 'name')) ?? []);
}

/** An answer in the form of the host. */
function written({ text, isError, images, recalled }: OwnAnswer, log: HistoryLog, codec: Codec): ToolAnswer {
  const files = recalled.flatMap((id) => log.filesOf(id));
  const stoodInResult = recalled.every((id) => log.isResult(id));
  const hasMedia = images.length > 0 || files.length > 0;
  const content = hasMedia ? (codec.result?.({ text, images, files, stoodInResult }) ?? text) : text;
  return { text, content, isError };
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** A list of which nothing is known, without any thinking if the model binds it. */
function openList(messages: readonly unknown[], codec: Codec, { bindsThinking }: Model): unknown[] {
  if (!bindsThinking) return [...messages];
  return messages.flatMap((message) => {
    try {
      return codec.changed(message, { thinking: 'left-out' }) ?? [];
    } catch {
      return [message];
    }
  });
}

function instructionsOf(system: unknown): string {
  if (typeof system === 'string') return system;
  const texts = listOf(system).map((block) => textOf(block) ?? textOf(field(block, 'text')) ?? '');
  return texts.filter((text) => text !== '').join('\n\n');
}
