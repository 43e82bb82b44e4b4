import type { Message } from '@palimpsest/events';
import { HistoryRuns } from '../../history-runs.js';
import type { HistoryReader } from '../../history-runs.js';
import type { CacheHints } from '../../llm.js';
import { lastBefore } from '../../wire/cache-place.js';
import { callIds } from '../../wire/call-ids.js';
import type { PartPlace } from '../../wire/part-place.js';
import { startOfConversation } from '../../wire/placeholders.js';
import { inputItems } from '../../wire/responses-writer.js';
import type { InputItem, InputPart, ItemWriting } from '../../wire/responses-writer.js';
import { sendableMessage } from '../../wire/sendable-message.js';
import { textOnly } from '../../wire/text-only.js';
import type { ToolNames } from '../../wire/tool-names.js';
import { breakpointsAt, cacheBreakpoint } from '../cache-hints.js';

/** @see provider-rules C8 */
const maxCallIdLength = 64;

/** The rendering of a history. */
export interface Input {
  readonly instructions?: string;
  readonly items: readonly InputItem[];
  /** The index at which the items of each message begin. */
  readonly starts: readonly number[];
}

const runs = new HistoryRuns<ItemWriter>();

/** The instructions and the items of a history. The list is new; its items can be shared between requests, and are frozen then. */
export function inputOf(
  messages: readonly Message[],
  names: ToolNames,
  how: Required<Pick<ItemWriting, 'withPhases' | 'resultsInParts'>>,
): Input {
  const start = () =>
    new ItemWriter({ ...how, names, ids: callIds({ maxLength: maxCallIdLength }), reasoningSent: new GrowingSet() });
  return runs.read(messages, start, [names.changes, how.withPhases, how.resultsInParts]).end();
}

interface Writing extends ItemWriting {
  readonly reasoningSent: GrowingSet;
}

class ItemWriter implements HistoryReader<ItemWriter> {
  readonly #writing: Writing;
  readonly #items: InputItem[];
  readonly #starts: number[];
  #instructions: string | undefined;

  constructor(writing: Writing, before?: ItemWriter) {
    this.#writing = writing;
    this.#items = before === undefined ? [] : before.#items.slice();
    this.#starts = before === undefined ? [] : before.#starts.slice();
    this.#instructions = before === undefined ? undefined : before.#instructions;
  }

  add(given: Message): void {
    const message = sendableMessage(given);
    this.#starts.push(this.#items.length);
    const isFirst = message.role === 'system' && this.#instructions === undefined && this.#items.length === 0;
    const text = isFirst ? textOnly(message.content) : '';
    if (text !== '') this.#instructions = text;
    else for (const item of inputItems(message, this.#writing)) this.#items.push(item);
  }

  fork(): ItemWriter {
    const { ids, reasoningSent } = this.#writing;
    return new ItemWriter({ ...this.#writing, ids: ids.fork(), reasoningSent: reasoningSent.fork() }, this);
  }

  /** Ends the list; nothing may be added to the writer then. */
  end(): Input {
    if (this.#items.length === 0) {
      const content: InputPart[] = [{ type: 'input_text', text: startOfConversation }];
      this.#items.push({ type: 'message', role: 'user', content });
    }
    const instructions = this.#instructions;
    return { ...(instructions === undefined ? {} : { instructions }), items: this.#items, starts: this.#starts };
  }
}

/** A set of texts that only grows. */
class GrowingSet {
  readonly #before: GrowingSet | undefined;
  readonly #texts = new Set<string>();

  constructor(before?: GrowingSet) {
    this.#before = before;
  }

  has(text: string): boolean {
    return this.#texts.has(text) || (this.#before?.has(text) ?? false);
  }

  add(text: string): void {
    this.#texts.add(text);
  }

  fork(): GrowingSet {
    return new GrowingSet(this);
  }
}

/** The items with cache breakpoints at the hinted places, on copies. Results must be parts to carry one. */
export function withBreakpoints(
  { items, starts }: Input,
  messages: readonly Message[],
  hints: CacheHints,
): readonly InputItem[] {
  const endIn = (from: number, to: number): PartPlace | undefined => {
    for (let list = to - 1; list >= from; list--) {
      const { length } = partsOf(items[list] as InputItem);
      if (length > 0) return { list, part: length - 1 };
    }
    return undefined;
  };
  /** The items of a message. */
  const rangeOf = (message: number) => [starts[message] ?? 0, starts[message + 1] ?? items.length] as const;
  const piecesOf = (message: number) => {
    const [from, to] = rangeOf(message);
    return items.slice(from, to).reduce((sum, item) => sum + partsOf(item).length, 0);
  };
  const first = items.findIndex((item) => partsOf(item).length > 0);
  const marked = breakpointsAt(messages, hints, {
    first: first === -1 ? undefined : { list: first, part: 0 },
    newest: endIn(0, items.length),
    endOf: (place) => {
      const end = lastBefore(place, messages, piecesOf);
      if (end === undefined) return undefined;
      const [from, to] = rangeOf(end.message);
      // A place within a message is one of a user's, which is one item.
      return end.pieces < piecesOf(end.message) ? { list: from, part: end.pieces - 1 } : endIn(from, to);
    },
  });
  const list = [...items];
  for (const { list: index, part } of marked) list[index] = withMark(list[index] as InputItem, part);
  return list;
}

/** The parts that can carry a mark. */
function partsOf(item: InputItem): readonly InputPart[] {
  if (item.type === 'message') return item.role === 'assistant' ? noParts : item.content;
  return item.type === 'function_call_output' && typeof item.output !== 'string' ? item.output : noParts;
}

const noParts: readonly InputPart[] = [];

function withMark(item: InputItem, marked: number): InputItem {
  const list = partsOf(item).map((part, index) => (index === marked ? { ...part, ...cacheBreakpoint } : part));
  return { ...item, [item.type === 'message' ? 'content' : 'output']: list };
}
