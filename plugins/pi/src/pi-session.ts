import { isKnownContent, memoryEventStore } from '@palimpsest/events';
import type { ContentPart, EventStore } from '@palimpsest/events';
import { HostSessions } from '@palimpsest/plugin-kit';
import type { HostSession } from '@palimpsest/plugin-kit';
import { partsFrom } from './codec/changed-message.js';
import type { PiMessage } from './codec/pi-message.js';
import { piMessages } from './codec/codec.js';
import { Earlier } from './earlier.js';
import { optionsOf } from './options.js';
import type { PiApi, PiContext, PiToolResult } from './pi-api.js';
import { RequestFacts, usageOf } from './request-facts.js';
import { isOfConversation } from './session-entries.js';
import { rootOf, storeOf } from './session-store.js';

/** The part of this file that the loader takes. */
export interface PiSessionModule {
  readonly startSession: typeof startSession;
}

/** Makes the condensation of a session of pi, and gives its model the tool `recall`. */
export async function startSession(pi: PiApi, ctx: PiContext, hostVersion: string | undefined): Promise<PiSession> {
  const { isOn, maxTokens, preset, problems } = optionsOf(pi);
  const root = await rootOf(ctx);
  const options = { codec, host: 'pi', hostVersion, preset, maxTokens, problems, isOn, unknownThinking } as const;
  const newSession = (store: EventStore) => new HostSessions<PiMessage>({ ...options, store }).of(root.id);
  const session = new PiSession(pi, newSession(storeOf(root)), new Earlier(() => newSession(memoryEventStore())));
  // Off from the start, a session is as without the plugin.
  if (isOn !== false) session.registerRecall(pi);
  return session;
}

const codec = piMessages();

/** pi has thinking that does not verify dropped by the provider (`drop_block`), so that of a session that ran without the plugin can be sent. */
const unknownThinking = 'sent';

/** Condensation in one session of pi. */
export class PiSession {
  readonly #facts: RequestFacts;
  readonly #session: HostSession<PiMessage>;
  readonly #earlier: Earlier;
  #hasFitted = false;

  constructor(pi: PiApi, session: HostSession<PiMessage>, earlier: Earlier) {
    this.#facts = new RequestFacts(pi, session.recallTool.name);
    this.#session = session;
    this.#earlier = earlier;
  }

  /** Gives the model the tool `recall`, unless another extension has one of this name. */
  registerRecall(pi: PiApi): void {
    const { recallTool } = this.#session;
    if (pi.getAllTools?.().some(({ name }) => name === recallTool.name) === true) return;
    pi.registerTool({
      ...codec.tool(recallTool),
      execute: (_id, params, _signal, _onUpdate, ctx) => this.#recall(params, ctx),
    });
  }

  /** Answers `context`: the messages to send. Undefined leaves them as they are. */
  async fit(messages: unknown, ctx: PiContext): Promise<{ readonly messages: readonly PiMessage[] } | undefined> {
    if (!Array.isArray(messages)) return undefined;
    const list = messages as readonly PiMessage[];
    const sent = await this.#session.fit(list, this.#facts.of(ctx));
    this.#hasFitted = true;
    this.#showStatus(ctx);
    return sent === list ? undefined : { messages: sent };
  }

  /** Takes note of what an answer has cost. */
  async used(message: unknown, ctx: PiContext): Promise<void> {
    const usage = usageOf(message);
    if (usage === undefined) return;
    await this.#session.used(usage);
    this.#showStatus(ctx);
  }

  /** Answers `session_before_compact`: our view of what pi is about to summarise. Undefined leaves it to pi. */
  async compact(event: Readonly<Record<string, unknown>>, ctx: PiContext) {
    if (!this.#session.isOn || this.#session.problem !== undefined) return undefined;
    const compaction = await this.#earlier.compaction(event, this.#facts.of(ctx));
    return compaction === undefined ? undefined : { compaction };
  }

  /** Answers `/condense [focus]`. */
  async condense(focus: string, ctx: PiContext): Promise<void> {
    await ctx.waitForIdle?.();
    await this.#read(ctx);
    tell(ctx, await this.#session.condense(focus.trim() === '' ? undefined : focus.trim()));
    this.#showStatus(ctx);
  }

  /** Answers `/condensed`. */
  async show(ctx: PiContext): Promise<void> {
    if (!this.#hasFitted) await this.#read(ctx);
    tell(ctx, this.#session.condensedPage());
  }

  /** Answers `/uncondense`: says the price first. */
  async undo(ctx: PiContext): Promise<void> {
    await ctx.waitForIdle?.();
    await this.#read(ctx);
    const price = this.#session.undoPrice();
    if (price !== undefined && ctx.hasUI && !(await ctx.ui.confirm('Take the newest condensation back?', price)))
      return;
    const done = await this.#session.undo();
    tell(ctx, ctx.hasUI || price === undefined ? done : `${price}\n${done}`);
    this.#showStatus(ctx);
  }

  /** Answers `/palimpsest on|off`. */
  async turn(word: string, ctx: PiContext): Promise<void> {
    const isOn = { on: true, off: false }[word.trim()];
    if (isOn !== undefined) this.#session.turn(isOn);
    tell(
      ctx,
      `Palimpsest is ${this.#session.isOn ? 'on' : 'off'} in this session${isOn === undefined ? ': /palimpsest on|off' : ''}.`,
    );
    this.#showStatus(ctx);
  }

  /** Answers a call of `recall`: from the list that is sent, and from what a compaction of pi took out of it. */
  async #recall(input: unknown, ctx: PiContext): Promise<PiToolResult> {
    const now = await this.#session.recall(input);
    const before = await this.#earlier.recall(input, ctx.sessionManager.getBranch?.() ?? [], this.#facts.of(ctx));
    const content = [...now.content, ...(before === undefined ? [] : [beforeNote, ...before.content])];
    return {
      content: partsOf(content),
      details: undefined,
      ...(now.isError && before === undefined ? { isError: true } : {}),
    };
  }

  /** Reads the conversation as it is now, without a new condensation. */
  async #read(ctx: PiContext): Promise<void> {
    const messages = ctx.sessionManager.buildSessionProjection?.().messages.filter(isOfConversation);
    if (messages === undefined || messages.length === 0) return;
    await this.#session.fit(messages, { ...this.#facts.of(ctx), condense: false });
    this.#hasFitted = true;
  }

  #showStatus(ctx: PiContext): void {
    ctx.ui.setStatus('palimpsest', `palimpsest ${this.#session.statusLine()}`);
  }
}

const beforeNote: ContentPart = { type: 'text', text: 'Before the conversation was compacted:' };

/** Returns an answer of `recall` as content of pi. */
function partsOf(content: readonly ContentPart[]): readonly unknown[] {
  const known = content.flatMap((part) => (isKnownContent(part) ? [part] : []));
  return partsFrom(known);
}

/** Without a user interface a command has only the output of the program. */
function tell(ctx: PiContext, text: string): void {
  if (ctx.hasUI) ctx.ui.notify(text, 'info');
  else if (ctx.mode === 'print') process.stdout.write(`${text}\n`);
}
