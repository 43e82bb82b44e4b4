import type { Message } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CachePlace } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { isThinking, messageBlocks, textBlock, textBlocks } from './writer.js';
import type { AnthropicText } from './writer.js';
import { lastBefore } from '../wire/cache-place.js';
import { callIds } from '../wire/call-ids.js';
import type { PartPlace } from '../wire/cache-place.js';
import { pleaseGoOn, sendableMessage, startOfConversation } from '../wire/sendable-message.js';
import type { ToolNames } from '../wire/tool-names.js';

/** A block of a message. */
export type Block = Anthropic.ContentBlockParam;

/** One message of the body. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}

/** The messages of a body, and where in them things stand. A block is named by its turn and its place there. */
export interface Turns {
  /** The instructions at the top of the body. */
  readonly system: readonly Anthropic.TextBlockParam[];
  /** The list is new; its blocks can be shared between requests, and are frozen then. */
  readonly turns: readonly Turn[];
  /** The last block that the next request repeats. A block of ours that asks the model to continue is not repeated. */
  readonly newest: PartPlace | undefined;
  /** Returns the last block before a place; undefined if there is none. */
  endOf(place: CachePlace): PartPlace | undefined;
}

/** The options of turning messages into turns. */
interface TurnsOptions {
  readonly names: ToolNames;
  readonly facts: Pick<ModelFacts, 'acceptsSystemMessages' | 'acceptsPrefill'>;
  /** False if the model would refuse it. */
  readonly replaysThinking: boolean;
  /** True if the model continues the last message (prefill). */
  readonly allowsPrefill: boolean;
  /** A sentence for the model at the end. */
  readonly instruction?: string | undefined;
}

/** Clients have cut ids at 64 characters; longer ids get a short replacement. @see provider-rules A.3 */
const maxCallIdLength = 64;

/**
 * Returns the messages as turns that begin with the user, alternate, and end as the model accepts it. The leading instructions
 * stand on top. All of them do, if the model accepts no system messages among the others.
 */
export function turnsFromMessages(messages: readonly Message[], options: TurnsOptions): Turns {
  const { system, turns, pieces } = addedMessages(messages, options);
  const newest = turns.length === 0 ? undefined : lastPlace(turns);
  const isContinued = endTurns(turns, options);
  return {
    system,
    turns: turns.map(resultsFirst),
    // The model continues a copy of the block that the next request does not repeat.
    newest: newest === undefined || isContinued ? undefined : sentPlace(turns, newest),
    endOf: (place) => {
      const end = lastBefore(place, messages, (message) => pieces[message]?.count ?? 0);
      if (end === undefined) return undefined;
      const { list, part } = pieces[end.message] ?? none;
      return sentPlace(turns, { list, part: part + end.pieces - 1 });
    },
  };
}

/** A turn that grows, with its blocks in the order in which they were added. */
interface OpenTurn {
  readonly role: Turn['role'];
  readonly content: Block[];
}

/** The place of the first block of a message, and how many blocks it has. */
interface Pieces extends PartPlace {
  readonly count: number;
}

const none: Pieces = { list: 0, part: 0, count: 0 };

interface AddedMessages {
  readonly system: readonly AnthropicText[];
  readonly turns: OpenTurn[];
  /** By the index of a message. */
  readonly pieces: readonly Pieces[];
}

function addedMessages(
  messages: readonly Message[],
  { names, facts, replaysThinking }: Pick<TurnsOptions, 'names' | 'facts' | 'replaysThinking'>,
): AddedMessages {
  const writing = { names, replaysThinking, ids: callIds({ maxLength: maxCallIdLength }) };
  const system: AnthropicText[] = [];
  const turns: OpenTurn[] = [];
  const pieces: Pieces[] = [];
  /** System messages wait until after the user's text that follows: only an assistant message may follow them. */
  let lateSystem: readonly AnthropicText[] = [];
  let isStarted = false;
  let lastHadCalls = false;
  for (const message of messages) {
    if (message.role === 'system') {
      const texts = textBlocks(sendableMessage(message).content);
      if (isStarted && facts.acceptsSystemMessages) lateSystem = [...lateSystem, ...texts];
      else system.push(...texts);
      pieces.push(none);
      continue;
    }
    isStarted = true;
    const blocks = messageBlocks(message, writing);
    if (blocks.length === 0) {
      pieces.push(none);
      continue;
    }
    if (message.role === 'assistant') {
      addSystem(turns, lateSystem);
      lateSystem = [];
      const last = turns.at(-1);
      if (last === undefined) add(turns, 'user', [textBlock(startOfConversation)]);
      // The request that this answers ended with this text, and the answer's thinking is bound to it. Without thinking, the two
      // neighbouring answers are one.
      else if (last.role === 'assistant' && !lastHadCalls && !facts.acceptsPrefill && blocks.some(isThinking)) {
        add(turns, 'user', [textBlock(pleaseGoOn)]);
      }
      lastHadCalls = message.toolCalls !== undefined && message.toolCalls.length > 0;
    }
    add(turns, message.role === 'assistant' ? 'assistant' : 'user', blocks);
    const { list, part } = lastPlace(turns);
    pieces.push({ list, part: part + 1 - blocks.length, count: blocks.length });
  }
  addSystem(turns, lateSystem);
  return { system, turns, pieces };
}

/** Adds blocks, at least one. Neighbours of one role are one turn. */
function add(turns: OpenTurn[], role: Turn['role'], blocks: readonly Block[]): void {
  const last = turns.at(-1);
  if (last?.role === role) for (const block of blocks) last.content.push(block);
  else turns.push({ role, content: [...blocks] });
}

/** Adds system messages. They must follow a user message (rule A3). */
function addSystem(turns: OpenTurn[], blocks: readonly AnthropicText[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== 'user') add(turns, 'user', [textBlock(last === undefined ? startOfConversation : pleaseGoOn)]);
  add(turns, 'system', blocks);
}

/**
 * Ends the turns as the model accepts it: current models refuse to continue an assistant message (A11), and an empty list is
 * refused as well. True if the model continues the last block.
 */
function endTurns(
  turns: OpenTurn[],
  { instruction, allowsPrefill, facts }: Pick<TurnsOptions, 'instruction' | 'allowsPrefill' | 'facts'>,
): boolean {
  if (turns.length === 0) add(turns, 'user', [textBlock(startOfConversation)]);
  const last = turns.at(-1);
  if (instruction !== undefined) {
    // A system message can stand behind the last message of the user.
    const before = turns.at(-2);
    if (last?.role === 'system' && before?.role === 'user') before.content.push(textBlock(instruction));
    else add(turns, 'user', [textBlock(instruction)]);
  } else if (last?.role === 'assistant') {
    const { content } = last;
    const block = content.at(-1);
    const isPlain = content.every(({ type }) => type === 'text');
    if (allowsPrefill && facts.acceptsPrefill && isPlain && block?.type === 'text') {
      content[content.length - 1] = { ...block, text: block.text.trimEnd() };
      return true;
    }
    add(turns, 'user', [textBlock(pleaseGoOn)]);
  }
  return false;
}

/** Returns the turn with its blocks in the order in which they are sent: results before all others (rule A8). */
function resultsFirst(turn: OpenTurn): Turn {
  const { role, content } = turn;
  if (role !== 'user' || content.length < 2) return turn;
  return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

/** Returns the place at which a block is sent, from the place at which it was added. */
function sentPlace(turns: readonly OpenTurn[], { list, part }: PartPlace): PartPlace {
  const areResults = (turns[list]?.content ?? []).map(isResult);
  const isAtResult = areResults[part];
  const before = areResults.slice(0, part).filter((one) => one === isAtResult).length;
  return { list, part: isAtResult === true ? before : areResults.filter(Boolean).length + before };
}

function lastPlace(turns: readonly OpenTurn[]): PartPlace {
  return { list: turns.length - 1, part: (turns.at(-1)?.content.length ?? 0) - 1 };
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result';
}
