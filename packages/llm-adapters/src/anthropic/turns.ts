import type { Message } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CachePlace } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { isThinking, messageBlocks, textBlock, textBlocks } from '../wire/anthropic-writer.js';
import { lastBefore } from '../wire/cache-place.js';
import { callIds } from '../wire/call-ids.js';
import { knownMessages } from '../wire/known-messages.js';
import { pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import type { ToolNames } from '../wire/tool-names.js';

export type Block = Anthropic.ContentBlockParam;

/** One message of the body. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}

/** The messages of a body, and where in them things stand. */
export interface Turns {
  readonly turns: readonly Turn[];
  /** The last block that the next request repeats. A block of ours that asks the model to continue is not repeated. */
  readonly newest: Block | undefined;
  /** The last block before a place; undefined if there is none. */
  endOf(place: CachePlace): Block | undefined;
}

/** The options of turning messages into turns. */
export interface TurnsOptions {
  readonly names: ToolNames;
  readonly facts: Pick<ModelFacts, 'acceptsSystemMessages' | 'acceptsPrefill'>;
  /** False if the model would refuse it. */
  readonly replaysThinking: boolean;
  /** Whether the model continues the last message (prefill). */
  readonly allowsPrefill: boolean;
  readonly instruction?: string | undefined;
}

/** Clients have cut ids at 64 characters; longer ids get a short replacement. @see provider-rules A.3 */
const maxCallIdLength = 64;

/**
 * The instructions at the top of the body: the leading ones, or all of them if the model accepts no system messages among the
 * others.
 */
export function systemBlocks(
  messages: readonly Message[],
  { acceptsSystemMessages }: Pick<ModelFacts, 'acceptsSystemMessages'>,
): Anthropic.TextBlockParam[] {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const onTop = acceptsSystemMessages && start !== -1 ? messages.slice(0, start) : messages;
  return knownMessages(onTop).flatMap((message) => (message.role === 'system' ? textBlocks(message.content) : []));
}

/** The messages besides the instructions on top, as turns that begin with the user, alternate, and end as the model takes it. */
export function turnsFromMessages(messages: readonly Message[], options: TurnsOptions): Turns {
  const { facts } = options;
  const ids = callIds({ maxLength: maxCallIdLength });
  const list = new TurnList();
  let lateSystem: Block[] = [];
  let isStarted = false;
  let lastHadCalls = false;
  const pieces: (readonly Block[])[] = [];

  const addSystem = () => {
    if (lateSystem.length === 0) return;
    // A system message must follow a user message (rule A3).
    if (list.last?.role !== 'user')
      list.add('user', [textBlock(list.last === undefined ? startOfConversation : pleaseGoOn)]);
    list.add('system', lateSystem);
    lateSystem = [];
  };

  knownMessages(messages).forEach((message, index) => {
    const add = (role: Turn['role'], blocks: readonly Block[]) => {
      pieces[index] = blocks;
      list.add(role, blocks);
    };
    pieces.push([]);
    const blocks = messageBlocks(message, { ...options, ids });
    if (message.role === 'system') {
      // Held back until after the user's text that follows: only an assistant message may follow it.
      if (isStarted && facts.acceptsSystemMessages) lateSystem.push(...blocks);
    } else if (message.role !== 'assistant') {
      add('user', blocks);
    } else if (blocks.length > 0) {
      addSystem();
      if (list.last === undefined) list.add('user', [textBlock(startOfConversation)]);
      // The request that it answered ended so: what it thought is bound to that. Without thinking they are one answer.
      else if (list.last.role === 'assistant' && !lastHadCalls && !facts.acceptsPrefill && blocks.some(isThinking)) {
        list.add('user', [textBlock(pleaseGoOn)]);
      }
      add('assistant', blocks);
      lastHadCalls = (message.toolCalls ?? []).length > 0;
    }
    if (message.role !== 'system') isStarted = true;
  });
  addSystem();

  const newest = list.lastBlock;
  list.end(options);
  return { turns: list.turns, newest, endOf: (place) => lastBefore(place, messages, pieces) };
}

class TurnList {
  readonly #turns: { readonly role: Turn['role']; readonly content: Block[] }[] = [];

  get last(): Turn | undefined {
    return this.#turns.at(-1);
  }

  get lastBlock(): Block | undefined {
    return this.last?.content.at(-1);
  }

  /** Neighbours of one role are one turn. */
  add(role: Turn['role'], content: readonly Block[]): void {
    if (content.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.#turns.push({ role, content: [...content] });
  }

  /** Current models refuse to continue an assistant message (A11), and an empty list is refused as well. */
  end({ instruction, allowsPrefill, facts }: TurnsOptions): void {
    if (this.#turns.length === 0) this.add('user', [textBlock(startOfConversation)]);
    const last = this.#turns.at(-1);
    if (instruction !== undefined) {
      const turn = last?.role === 'system' ? this.#turns.at(-2) : last;
      if (turn?.role === 'user') turn.content.push(textBlock(instruction));
      else this.add('user', [textBlock(instruction)]);
    } else if (last?.role === 'assistant') {
      const block = last.content.at(-1);
      const isPlain = last.content.every(({ type }) => type === 'text');
      if (allowsPrefill && facts.acceptsPrefill && isPlain && block?.type === 'text') {
        last.content[last.content.length - 1] = { ...block, text: block.text.trimEnd() };
      } else {
        this.add('user', [textBlock(pleaseGoOn)]);
      }
    }
  }

  /** Results come before all other blocks of their turn (rule A8). */
  get turns(): readonly Turn[] {
    const isResult = ({ type }: Block) => type === 'tool_result';
    return this.#turns.map(({ role, content }) => ({
      role,
      content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
    }));
  }
}
