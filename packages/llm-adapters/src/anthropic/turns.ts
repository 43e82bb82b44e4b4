import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, KnownThinkingBlock, Message } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CachePlace } from '../llm.js';
import type { ModelFacts } from '../models/model-facts.js';
import { lastBefore } from '../wire/cache-place.js';
import { callIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { imageSource } from '../wire/image-source.js';
import { failedSilently, imageNotShown, noWords, pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import { knownMessages } from '../wire/known-messages.js';
import type { KnownAssistantMessage, KnownToolMessage } from '../wire/known-messages.js';
import { toolInput } from '../wire/tool-input.js';
import type { ToolNames } from '../wire/tool-names.js';

export type Block = Anthropic.ContentBlockParam;
type TextOrImage = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** One message of the body. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}

/** The messages of a body, and where in them things stand. */
export interface Turns {
  readonly turns: readonly Turn[];
  /** The last block that the next request repeats: not one of ours that asks the model to go on. */
  readonly newest: Block | undefined;
  /** The last block before a place; undefined where none is. */
  endOf(place: CachePlace): Block | undefined;
}

/** What turning messages into turns depends on. */
export interface TurnsOptions {
  readonly names: ToolNames;
  readonly facts: Pick<ModelFacts, 'acceptsSystemMessages' | 'acceptsPrefill'>;
  /** False where the model would refuse it. */
  readonly replaysThinking: boolean;
  /** The model continues the last message where it takes that. */
  readonly allowsPrefill: boolean;
  readonly instruction?: string | undefined;
}

/** Clients have cut ids here since the rule was 64; longer ones get a short name. @see provider-rules A.3 */
const maxCallIdLength = 64;

/** The instructions that stand on top: those at the start; all of them where the model takes none among the messages. */
export function systemBlocks(
  messages: readonly Message[],
  { acceptsSystemMessages }: Pick<ModelFacts, 'acceptsSystemMessages'>,
): Anthropic.TextBlockParam[] {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const onTop = acceptsSystemMessages && start !== -1 ? messages.slice(0, start) : messages;
  return knownMessages(onTop).flatMap((message) => (message.role === 'system' ? textOnly(message.content) : []));
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
    // It must follow words of the user (rule A3).
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
    switch (message.role) {
      case 'system':
        // Waits for the user's words that follow: after it only the model may speak.
        if (isStarted && facts.acceptsSystemMessages) lateSystem.push(...textOnly(message.content));
        break;
      case 'user':
        add('user', contentBlocks(message.content));
        break;
      case 'tool':
        add('user', resultBlocks(message, ids));
        break;
      case 'assistant': {
        const blocks = assistantBlocks(message, ids, options);
        if (blocks.length === 0) break;
        addSystem();
        if (list.last === undefined) list.add('user', [textBlock(startOfConversation)]);
        // The request that it answered ended so: what it thought is bound to that. Without thinking they are one answer.
        else if (list.last.role === 'assistant' && !lastHadCalls && !facts.acceptsPrefill && blocks.some(isThinking)) {
          list.add('user', [textBlock(pleaseGoOn)]);
        }
        add('assistant', blocks);
        lastHadCalls = (message.toolCalls ?? []).length > 0;
      }
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

  /** Nobody answers an answer: current models refuse to continue one (A11), and no message at all is refused as well. */
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

  /** Results stand before everything else of their turn (rule A8). */
  get turns(): readonly Turn[] {
    const isResult = ({ type }: Block) => type === 'tool_result';
    return this.#turns.map(({ role, content }) => ({
      role,
      content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
    }));
  }
}

/** Words, then calls, with the thinking where it stood between them. */
function assistantBlocks(message: KnownAssistantMessage, ids: CallIds, options: TurnsOptions): Block[] {
  const { names, replaysThinking } = options;
  const { content, toolCalls = [] } = message;
  const sentIds = ids.ofCalls(toolCalls);
  const parts: (Block | undefined)[] = [
    // Only the user's side can hold images.
    ...content.map((part) => (isMeaningful(part) ? textOfPart(part) : undefined)),
    ...toolCalls.map((call, index) => ({
      type: 'tool_use' as const,
      id: sentIds[index] ?? call.id,
      name: names.toWire(call.name),
      input: toolInput(call.arguments),
    })),
  ];
  const thinking = replaysThinking ? (message.thinkingBlocks ?? []) : [];
  const blocks: Block[] = [];
  let replayed = 0;
  const replay = (upTo: number) => {
    for (
      let next = thinking[replayed];
      next !== undefined && (next.position ?? 0) <= upTo;
      next = thinking[++replayed]
    ) {
      const block = thinkingBlock(next);
      if (block !== undefined) blocks.push(block);
    }
  };
  parts.forEach((part, index) => {
    replay(index);
    if (part !== undefined) blocks.push(part);
  });
  replay(Number.POSITIVE_INFINITY);
  // A turn may not end in thinking. Said here and not at the turn's end, so that a later neighbour changes nothing.
  if (isThinking(blocks.at(-1))) blocks.push(textBlock(noWords));
  return blocks;
}

/** True for a block that only goes back as it came. */
export function isThinking(block: Block | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** A block without a signature was not made by this provider, which would refuse it. */
function thinkingBlock(block: KnownThinkingBlock): Block | undefined {
  if (block.type === 'redacted-thinking') return { type: 'redacted_thinking', data: block.data };
  if (block.signature === undefined) return undefined;
  return { type: 'thinking', thinking: block.thinking, signature: block.signature };
}

/** The result, and what cannot stand in it: an error's images, since error results take text only. */
function resultBlocks(message: KnownToolMessage, ids: CallIds): Block[] {
  const blocks = contentBlocks(message.content);
  const result = { type: 'tool_result' as const, tool_use_id: ids.ofResult(message.toolCallId) };
  if (message.isError !== true) return [{ ...result, ...(blocks.length === 0 ? {} : { content: blocks }) }];
  const texts = blocks.filter(({ type }) => type === 'text');
  const images = blocks.filter(({ type }) => type === 'image');
  return [{ ...result, content: texts.length === 0 ? [textBlock(failedSilently)] : texts, is_error: true }, ...images];
}

function contentBlocks(content: readonly KnownContent[]): TextOrImage[] {
  return content.filter(isMeaningful).map((part): TextOrImage => {
    if (part.type === 'text') return textBlock(part.text);
    const source = imageSource(part);
    switch (source.type) {
      case 'url':
        return { type: 'image', source: { type: 'url', url: source.url } };
      case 'base64':
        return { type: 'image', source: { type: 'base64', media_type: source.mediaType, data: source.data } };
      case 'unsupported':
        return textBlock(imageNotShown(source.reason));
    }
  });
}

function textOnly(content: readonly KnownContent[]): Anthropic.TextBlockParam[] {
  return content.filter(isMeaningful).map(textOfPart);
}

function textOfPart(part: KnownContent): Anthropic.TextBlockParam {
  return textBlock(part.type === 'text' ? part.text : imageNotShown('it stands where only text can'));
}

function textBlock(text: string): Anthropic.TextBlockParam {
  return { type: 'text', text };
}
