import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, Message, ReasoningItem } from '@palimpsest/events';
import type OpenAI from 'openai';
import type { CacheHints } from '../../llm.js';
import { lastBefore } from '../../wire/cache-place.js';
import { callIds } from '../../wire/call-ids.js';
import type { CallIds } from '../../wire/call-ids.js';
import { imageSource } from '../../wire/image-source.js';
import { failedSilently, imageNotShown, startOfConversation } from '../../wire/placeholders.js';
import { knownMessages } from '../../wire/known-messages.js';
import type { KnownAssistantMessage, KnownToolMessage } from '../../wire/known-messages.js';
import { toolArguments } from '../../wire/tool-input.js';
import type { ToolNames } from '../../wire/tool-names.js';
import { breakpointsAt, cacheBreakpoint } from '../cache-hints.js';
import { phaseOf } from './message-phase.js';
import type { MessagePhase } from './message-phase.js';

type Item = OpenAI.Responses.ResponseInputItem;
type InputPart = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;

/** @see provider-rules C8 */
const maxCallIdLength = 64;
/** Between the parts of what is one string. */
const partSeparator = '\n\n';

/** What a history becomes. */
export interface Input {
  readonly instructions?: string;
  readonly items: readonly Item[];
  /** Where the items of each message begin. */
  readonly starts: readonly number[];
}

/** The instructions and the items of a history. */
export function inputOf(
  messages: readonly Message[],
  names: ToolNames,
  { withPhases }: { readonly withPhases: boolean },
): Input {
  const input: Item[] = [];
  const ids = callIds({ maxLength: maxCallIdLength });
  const reasoningSent = new Set<string>();
  let instructions: string | undefined;
  const starts: number[] = [];
  for (const message of knownMessages(messages)) {
    starts.push(input.length);
    switch (message.role) {
      case 'system': {
        const content = message.content.filter(isMeaningful);
        if (content.length === 0) break;
        if (instructions === undefined && input.length === 0) instructions = textOnly(content);
        else input.push({ type: 'message', role: 'developer', content: content.map(inputPart) });
        break;
      }
      case 'user': {
        const content = message.content.filter(isMeaningful);
        if (content.length > 0) input.push({ type: 'message', role: 'user', content: content.map(inputPart) });
        break;
      }
      case 'assistant':
        input.push(...assistantItems(message, { ids, names, reasoningSent, withPhases }));
        break;
      case 'tool':
        input.push({
          type: 'function_call_output',
          call_id: ids.ofResult(message.toolCallId),
          output: resultOutput(message),
        });
    }
  }
  if (input.length === 0) {
    input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: startOfConversation }] });
  }
  return { ...(instructions === undefined ? {} : { instructions }), items: input, starts };
}

/** Reasoning, words and calls of one answer, each where it stood. */
function assistantItems(
  message: KnownAssistantMessage,
  context: {
    readonly ids: CallIds;
    readonly names: ToolNames;
    readonly reasoningSent: Set<string>;
    readonly withPhases: boolean;
  },
): readonly Item[] {
  const { content, toolCalls = [], reasoningItems = [] } = message;
  const phase = context.withPhases ? phaseOf(message) : undefined;
  const sentIds = context.ids.ofCalls(toolCalls);
  const items: Item[] = [];
  const count = content.length + toolCalls.length;
  let waiting: Item[] = [];
  for (let place = 0; place < count; place++) {
    for (const item of reasoningItems) {
      if ((item.position ?? 0) !== place) continue;
      const sent = wireReasoning(item, context.reasoningSent);
      if (sent !== undefined) waiting.push(sent);
    }
    const part = content[place];
    const call = toolCalls[place - content.length];
    if (part !== undefined && isMeaningful(part)) {
      items.push(...waiting);
      addWords(items, part, phase);
    } else if (call !== undefined) {
      items.push(...waiting, {
        type: 'function_call',
        call_id: sentIds[place - content.length] ?? call.id,
        name: context.names.toWire(call.name),
        arguments: toolArguments(call.arguments),
      });
    } else {
      // Blank text is left out, and the reasoning before it goes before what follows.
      continue;
    }
    waiting = [];
  }
  return items;
}

/** Neighbouring parts are one message, as the provider delivered them. */
function addWords(items: Item[], part: KnownContent, phase: MessagePhase | undefined): void {
  const text = part.type === 'text' ? part.text : imageNotShown('it stands where only text can');
  const words: OpenAI.Responses.ResponseOutputText = { type: 'output_text', text, annotations: [] };
  const last = items.at(-1);
  if (last !== undefined && 'role' in last && last.role === 'assistant') {
    (last.content as OpenAI.Responses.ResponseOutputText[]).push(words);
    return;
  }
  // The SDK's type asks for the item's id, the provider does not.
  const ofPhase = phase === undefined ? {} : { phase };
  items.push({ type: 'message', role: 'assistant', content: [words], ...ofPhase } as unknown as Item);
}

/** An item as it came; undefined for one that the provider could not read or has already been given. @see provider-rules C.1 */
function wireReasoning({ id, summary, content, encryptedContent }: ReasoningItem, sent: Set<string>): Item | undefined {
  if (encryptedContent === undefined || sent.has(encryptedContent)) return undefined;
  sent.add(encryptedContent);
  const item: Omit<OpenAI.Responses.ResponseReasoningItem, 'id'> = {
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    ...(content === undefined ? {} : { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
    encrypted_content: encryptedContent,
  };
  const isSendable = id !== undefined && /^rs[a-zA-Z0-9_-]{0,62}$/.test(id) && !sent.has(id);
  if (isSendable) sent.add(id);
  return (isSendable ? { ...item, id } : item) as Item;
}

function inputPart(part: KnownContent): InputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'input_text', text: imageNotShown(source.reason) };
  return { type: 'input_image', image_url: part.url, detail: 'auto' };
}

function resultOutput(message: KnownToolMessage): OpenAI.Responses.ResponseInputItem.FunctionCallOutput['output'] {
  const content = message.content.filter(isMeaningful);
  if (content.some(({ type }) => type === 'image')) return content.map(inputPart);
  const text = textOnly(content);
  return text === '' && message.isError === true ? failedSilently : text;
}

function textOnly(content: readonly KnownContent[]): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : imageNotShown('it stands where only text can')))
    .join(partSeparator);
}

/**
 * The items with cache breakpoints where the hints want them. Results are all in parts then, so that nothing but the marks
 * themselves moves from request to request.
 */
export function withBreakpoints(
  { items, starts }: Input,
  messages: readonly Message[],
  hints: CacheHints,
): readonly Item[] {
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

function withParts(item: Item): Item {
  if (item.type !== 'function_call_output' || typeof item.output !== 'string' || item.output === '') return item;
  const output: OpenAI.Responses.ResponseInputTextContent[] = [{ type: 'input_text', text: item.output }];
  return { ...item, output };
}

/** The parts that can carry a mark. */
function partsOf(item: Item): readonly object[] {
  if (item.type === 'message' && item.role !== 'assistant' && typeof item.content !== 'string') return item.content;
  return item.type === 'function_call_output' && typeof item.output !== 'string' ? item.output : [];
}

function withMarks(item: Item, marked: ReadonlySet<object>): Item {
  const parts = partsOf(item);
  if (!parts.some((part) => marked.has(part))) return item;
  const list = parts.map((part) => (marked.has(part) ? { ...part, ...cacheBreakpoint } : part));
  return { ...item, [item.type === 'message' ? 'content' : 'output']: list };
}
