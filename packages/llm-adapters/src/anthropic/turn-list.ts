import type { ModelFacts } from '../models/model-facts.js';
import { textBlock } from '../wire/anthropic-writer.js';
import type { PartPlace } from '../wire/part-place.js';
import { pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import type { Block, Turn } from './turn.js';

/** How a list of turns ends. */
export interface EndOfTurns {
  readonly facts: Pick<ModelFacts, 'acceptsPrefill'>;
  /** Whether the model continues the last message (prefill). */
  readonly allowsPrefill: boolean;
  /** A sentence for the model at the end. */
  readonly instruction?: string | undefined;
}

/**
 * A list of turns that grows at its end. Neighbours of one role are one turn. A turn is complete when another one follows; a
 * complete turn is frozen, and forks of the list share it.
 */
export class TurnList {
  /** Complete turns, with their blocks in the order in which they are sent. */
  readonly #complete: Turn[];
  /** The blocks of those complete turns in which results had to be moved, in the order in which they were added. */
  readonly #reordered: Map<number, readonly Block[]>;
  #last: { readonly role: Turn['role']; readonly content: Block[] } | undefined;

  constructor(before?: TurnList) {
    this.#complete = before === undefined ? [] : before.#complete.slice();
    this.#reordered = new Map(before === undefined ? [] : before.#reordered);
    const last = before === undefined ? undefined : before.#last;
    this.#last = last && { ...last, content: [...last.content] };
  }

  fork(): TurnList {
    return new TurnList(this);
  }

  /** The last turn, with its blocks in the order in which they were added. */
  get last(): Turn | undefined {
    return this.#last;
  }

  /** The place of the block that was added last. */
  get lastBlock(): PartPlace | undefined {
    return this.#last === undefined ? undefined : { list: this.#complete.length, part: this.#last.content.length - 1 };
  }

  /** Adds blocks, at least one, and returns the place of the first. */
  add(role: Turn['role'], content: readonly Block[]): PartPlace {
    if (this.#last?.role !== role) {
      this.#completeLast();
      this.#last = { role, content: [...content] };
      return { list: this.#complete.length, part: 0 };
    }
    const part = this.#last.content.length;
    for (const block of content) this.#last.content.push(block);
    return { list: this.#complete.length, part };
  }

  /**
   * Ends the list as the model accepts it: current models refuse to continue an assistant message (A11), and an empty list is
   * refused as well. True if the model continues the last block.
   */
  end({ instruction, allowsPrefill, facts }: EndOfTurns): boolean {
    if (this.#last === undefined) this.add('user', [textBlock(startOfConversation)]);
    if (instruction !== undefined) {
      this.#instruct(textBlock(instruction));
    } else if (this.#last?.role === 'assistant') {
      const { content } = this.#last;
      const block = content.at(-1);
      const isPlain = content.every(({ type }) => type === 'text');
      if (allowsPrefill && facts.acceptsPrefill && isPlain && block?.type === 'text') {
        content[content.length - 1] = { ...block, text: block.text.trimEnd() };
        return true;
      }
      this.add('user', [textBlock(pleaseGoOn)]);
    }
    return false;
  }

  get turns(): readonly Turn[] {
    const { last } = this;
    if (last === undefined) return this.#complete;
    const { role, content } = last;
    return [...this.#complete, { role, content: resultsFirst(content).map((index) => content[index] as Block) }];
  }

  /** The place of a block in {@link turns}, from its place in the order in which blocks were added. */
  placeOf({ list, part }: PartPlace): PartPlace {
    const added = list === this.#complete.length ? this.#last?.content : this.#reordered.get(list);
    return added === undefined ? { list, part } : { list, part: resultsFirst(added).indexOf(part) };
  }

  /** Adds an instruction to the last message of the user; a system message can stand behind it. */
  #instruct(block: Block): void {
    const before = this.#complete.at(-1);
    if (this.#last?.role !== 'system' || before?.role !== 'user') {
      this.add('user', [block]);
      return;
    }
    this.#complete[this.#complete.length - 1] = { ...before, content: [...before.content, block] };
  }

  #completeLast(): void {
    if (this.#last === undefined) return;
    const { role, content } = this.#last;
    const order = resultsFirst(content);
    if (order.some((index, place) => index !== place)) this.#reordered.set(this.#complete.length, content);
    const sent = order.map((index) => content[index] as Block);
    this.#complete.push(Object.freeze({ role, content: Object.freeze(sent) }));
  }
}

/** The indices of the blocks in the order in which they are sent: results before all others (rule A8). */
function resultsFirst(content: readonly Block[]): readonly number[] {
  const indices = [...content.keys()];
  const isAtResult = (index: number) => content[index]?.type === 'tool_result';
  return [...indices.filter(isAtResult), ...indices.filter((index) => !isAtResult(index))];
}
