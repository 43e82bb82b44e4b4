import { wellFormedJson } from '@palimpsest/events';
import type { Message } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import { HistoryRuns } from '../history-runs.js';
import type { HistoryReader } from '../history-runs.js';
import type { CachePlace } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { isThinking, messageBlocks, textBlock, textBlocks } from '../wire/anthropic-writer.js';
import type { AnthropicText } from '../wire/anthropic-writer.js';
import { lastBefore } from '../wire/cache-place.js';
import { callIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import type { KnownAssistantMessage, KnownMessage } from '../wire/known-messages.js';
import type { PartPlace } from '../wire/part-place.js';
import { pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import { sendableMessage } from '../wire/sendable-message.js';
import type { ToolNames } from '../wire/tool-names.js';
import type { Block, Turn } from './turn.js';
import { TurnList } from './turn-list.js';
import type { EndOfTurns } from './turn-list.js';

/** The messages of a body, and where in them things stand. A block is named by its turn and its place there. */
export interface Turns {
  /** The instructions at the top of the body. */
  readonly system: readonly Anthropic.TextBlockParam[];
  /** The list is new; turns before the last one can be shared between requests, and are frozen. */
  readonly turns: readonly Turn[];
  /** The last block that the next request repeats. A block of ours that asks the model to continue is not repeated. */
  readonly newest: PartPlace | undefined;
  /** The last block before a place; undefined if there is none. */
  endOf(place: CachePlace): PartPlace | undefined;
}

/** The options of turning messages into turns. */
export interface TurnsOptions extends EndOfTurns {
  readonly names: ToolNames;
  readonly facts: Pick<ModelFacts, 'acceptsSystemMessages' | 'acceptsPrefill'>;
  /** False if the model would refuse it. */
  readonly replaysThinking: boolean;
}

/** Clients have cut ids at 64 characters; longer ids get a short replacement. @see provider-rules A.3 */
const maxCallIdLength = 64;

const runs = new HistoryRuns<TurnWriter>();

/**
 * The messages as turns that begin with the user, alternate, and end as the model accepts it. The leading instructions stand on
 * top; all of them do, if the model accepts no system messages among the others.
 */
export function turnsFromMessages(messages: readonly Message[], options: TurnsOptions): Turns {
  const { names, facts, replaysThinking } = options;
  const { acceptsSystemMessages, acceptsPrefill } = facts;
  const start = () => new TurnWriter({ names, facts, replaysThinking, ids: callIds({ maxLength: maxCallIdLength }) });
  const inputs = [names.changes, replaysThinking, acceptsSystemMessages, acceptsPrefill];
  const writer = runs.read(messages, start, inputs);
  const list = writer.turnsSoFar();
  const newest = list.lastBlock;
  const isContinued = list.end(options);
  return {
    system: writer.system,
    turns: list.turns,
    // The model continues a copy of the block that the next request does not repeat.
    newest: newest === undefined || isContinued ? undefined : list.placeOf(newest),
    endOf: (place) => {
      const end = lastBefore(place, messages, (message) => writer.pieces[message]?.count ?? 0);
      if (end === undefined) return undefined;
      const { list: turn, part } = writer.pieces[end.message]?.start ?? none.start;
      return list.placeOf({ list: turn, part: part + end.pieces - 1 });
    },
  };
}

/** The first block of a message in the turns, and how many blocks it has. */
interface Pieces {
  readonly start: PartPlace;
  readonly count: number;
}

const none: Pieces = { start: { list: 0, part: 0 }, count: 0 };

interface TurnWriting extends Pick<TurnsOptions, 'names' | 'facts' | 'replaysThinking'> {
  readonly ids: CallIds;
}

/** Writes the messages of a history as turns, in order. */
class TurnWriter implements HistoryReader<TurnWriter> {
  readonly system: AnthropicText[];
  readonly pieces: Pieces[];
  readonly #writing: TurnWriting;
  readonly #list: TurnList;
  #lateSystem: readonly Block[] = [];
  #isStarted = false;
  #lastHadCalls = false;

  constructor(writing: TurnWriting, before?: TurnWriter) {
    this.#writing = writing;
    this.system = before === undefined ? [] : before.system.slice();
    this.pieces = before === undefined ? [] : before.pieces.slice();
    this.#list = before === undefined ? new TurnList() : before.#list.fork();
    if (before === undefined) return;
    this.#lateSystem = before.#lateSystem;
    this.#isStarted = before.#isStarted;
    this.#lastHadCalls = before.#lastHadCalls;
  }

  fork(): TurnWriter {
    return new TurnWriter({ ...this.#writing, ids: this.#writing.ids.fork() }, this);
  }

  add(given: Message): void {
    const message = sendableMessage(given);
    if (message.role === 'system') {
      this.#addSystem(message);
      this.pieces.push(none);
      return;
    }
    this.#isStarted = true;
    const blocks: readonly Block[] = messageBlocks(message, this.#writing);
    if (blocks.length === 0) {
      this.pieces.push(none);
      return;
    }
    const start = message.role === 'assistant' ? this.#addAnswer(message, blocks) : this.#list.add('user', blocks);
    this.pieces.push({ start, count: blocks.length });
  }

  /** The turns of all messages so far. Adds system messages that nothing follows; nothing may be added to the writer then. */
  turnsSoFar(): TurnList {
    this.#addLateSystem();
    return this.#list;
  }

  /** On top, or held back until after the user's text that follows: only an assistant message may follow it. */
  #addSystem({ content }: KnownMessage): void {
    const blocks = wellFormedJson(textBlocks(content));
    if (!this.#isStarted || !this.#writing.facts.acceptsSystemMessages) this.system.push(...blocks);
    else this.#lateSystem = [...this.#lateSystem, ...blocks];
  }

  #addLateSystem(): void {
    if (this.#lateSystem.length === 0) return;
    const { last } = this.#list;
    // A system message must follow a user message (rule A3).
    if (last?.role !== 'user') {
      this.#list.add('user', [textBlock(last === undefined ? startOfConversation : pleaseGoOn)]);
    }
    this.#list.add('system', this.#lateSystem);
    this.#lateSystem = [];
  }

  #addAnswer({ toolCalls = [] }: KnownAssistantMessage, blocks: readonly Block[]): PartPlace {
    this.#addLateSystem();
    const { last } = this.#list;
    const { acceptsPrefill } = this.#writing.facts;
    if (last === undefined) this.#list.add('user', [textBlock(startOfConversation)]);
    // The request that this answers ended with this text, and the answer's thinking is bound to it. Without thinking, the two
    // neighbouring answers are one.
    else if (last.role === 'assistant' && !this.#lastHadCalls && !acceptsPrefill && blocks.some(isThinking)) {
      this.#list.add('user', [textBlock(pleaseGoOn)]);
    }
    this.#lastHadCalls = toolCalls.length > 0;
    return this.#list.add('assistant', blocks);
  }
}
