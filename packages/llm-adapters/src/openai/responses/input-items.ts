import type { Message } from '@palimpsest/events';
import type { CacheHints } from '../../llm.js';
import { lastBefore } from '../../wire/cache-place.js';
import { callIds } from '../../wire/call-ids.js';
import { knownMessages } from '../../wire/known-messages.js';
import { startOfConversation } from '../../wire/placeholders.js';
import { inputItems } from '../../wire/responses-writer.js';
import type { InputItem, InputPart } from '../../wire/responses-writer.js';
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

/** The instructions and the items of a history. */
export function inputOf(
  messages: readonly Message[],
  names: ToolNames,
  { withPhases }: { readonly withPhases: boolean },
): Input {
  const input: InputItem[] = [];
  const ids = callIds({ maxLength: maxCallIdLength });
  const writing = { ids, names, withPhases, reasoningSent: new Set<string>() };
  let instructions: string | undefined;
  const starts: number[] = [];
  for (const message of knownMessages(messages)) {
    starts.push(input.length);
    const isFirst = message.role === 'system' && instructions === undefined && input.length === 0;
    const text = isFirst ? textOnly(message.content) : '';
    if (text !== '') instructions = text;
    else input.push(...inputItems(message, writing));
  }
  if (input.length === 0) {
    input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: startOfConversation }] });
  }
  return { ...(instructions === undefined ? {} : { instructions }), items: input, starts };
}

/**
 * The items with cache breakpoints at the hinted places. All results are then sent as parts, so that only the marks change from
 * request to request.
 */
export function withBreakpoints(
  { items, starts }: Input,
  messages: readonly Message[],
  hints: CacheHints,
): readonly InputItem[] {
  const inParts = items.map(withParts);
  const pieces = messages.map((_, index) => inParts.slice(starts[index], starts[index + 1]).flatMap(partsOf));
  const parts = pieces.flat();
  const marked = breakpointsAt(messages, hints, {
    first: parts[0],
    newest: parts.at(-1),
    endOf: (place) => lastBefore(place, messages, pieces),
  });
  return marked.size === 0 ? items : inParts.map((item) => withMarks(item, marked));
}

function withParts(item: InputItem): InputItem {
  if (item.type !== 'function_call_output' || typeof item.output !== 'string' || item.output === '') return item;
  const output: InputPart[] = [{ type: 'input_text', text: item.output }];
  return { ...item, output };
}

/** The parts that can carry a mark. */
function partsOf(item: InputItem): readonly object[] {
  if (item.type === 'message' && item.role !== 'assistant' && typeof item.content !== 'string') return item.content;
  return item.type === 'function_call_output' && typeof item.output !== 'string' ? item.output : [];
}

function withMarks(item: InputItem, marked: ReadonlySet<object>): InputItem {
  const parts = partsOf(item);
  if (!parts.some((part) => marked.has(part))) return item;
  const list = parts.map((part) => (marked.has(part) ? { ...part, ...cacheBreakpoint } : part));
  return { ...item, [item.type === 'message' ? 'content' : 'output']: list };
}
