import type { Message } from '@palimpsest/events';
import type { CacheHints } from '../../llm.js';
import { lastBefore } from '../../wire/cache-place.js';
import { callIds } from '../../wire/call-ids.js';
import type { PartPlace } from '../../wire/cache-place.js';
import { sendableMessage, startOfConversation, textOnly } from '../../wire/sendable-message.js';
import { inputItems } from './writer.js';
import type { InputItem, InputPart, ItemWriting } from './writer.js';
import type { ToolNames } from '../../wire/tool-names.js';
import { breakpointsAt, cacheBreakpoint } from '../cache-marks.js';

/** @see provider-rules C8 */
const maxCallIdLength = 64;

/** The rendering of a history. */
interface Input {
  readonly instructions?: string;
  readonly items: readonly InputItem[];
  /** The index at which the items of each message begin. */
  readonly starts: readonly number[];
}

/**
 * Returns the instructions and the items of a history. The list is new; its items can be shared between requests, and
 * are frozen then.
 */
export function inputOf(
  messages: readonly Message[],
  names: ToolNames,
  how: Required<Pick<ItemWriting, 'withPhases' | 'resultsInParts'>>,
): Input {
  const writing = { ...how, names, ids: callIds({ maxLength: maxCallIdLength }), reasoningSent: new Set<string>() };
  const items: InputItem[] = [];
  const starts: number[] = [];
  let instructions: string | undefined;
  for (const message of messages) {
    starts.push(items.length);
    const isFirst = message.role === 'system' && instructions === undefined && items.length === 0;
    const text = isFirst ? textOnly(sendableMessage(message).content) : '';
    if (text !== '') instructions = text;
    else for (const item of inputItems(message, writing)) items.push(item);
  }
  if (items.length === 0) {
    items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: startOfConversation }] });
  }
  return { ...(instructions === undefined ? {} : { instructions }), items, starts };
}

/** Returns the items with cache breakpoints at the hinted places, on copies. Results must be parts to carry one. */
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

/** Returns the parts that can carry a mark. */
function partsOf(item: InputItem): readonly InputPart[] {
  if (item.type === 'message') return item.role === 'assistant' ? noParts : item.content;
  return item.type === 'function_call_output' && typeof item.output !== 'string' ? item.output : noParts;
}

const noParts: readonly InputPart[] = [];

function withMark(item: InputItem, marked: number): InputItem {
  const list = partsOf(item).map((part, index) => (index === marked ? { ...part, ...cacheBreakpoint } : part));
  return { ...item, [item.type === 'message' ? 'content' : 'output']: list };
}
