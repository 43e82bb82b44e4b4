import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, ReasoningItem } from '@palimpsest/events';
import type { CallIds } from './call-ids.js';
import { imageSource } from './image-source.js';
import type { KnownAssistantMessage, KnownMessage, KnownToolMessage } from './known-messages.js';
import { failedSilently, imageNotShown } from './placeholders.js';
import { textOnly } from './text-only.js';
import { toolArguments } from './tool-input.js';
import type { ToolNames } from './tool-names.js';

/** The phase of the model's text: commentary or final answer. */
export type MessagePhase = 'commentary' | 'final_answer';

/** A part of a user message or a result. */
export type InputPart =
  { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' };

/** An item that a request sends. */
export type InputItem =
  | { type: 'message'; role: 'user' | 'developer'; content: InputPart[] }
  | { type: 'message'; role: 'assistant'; content: OutputText[]; phase?: MessagePhase }
  | { type: 'reasoning'; summary: SummaryText[]; content?: ReasoningText[]; encrypted_content: string; id?: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | InputPart[] };

interface OutputText {
  type: 'output_text';
  text: string;
  annotations: [];
}

interface SummaryText {
  type: 'summary_text';
  text: string;
}

interface ReasoningText {
  type: 'reasoning_text';
  text: string;
}

/** The options of writing a message. */
export interface ItemWriting {
  readonly ids: CallIds;
  readonly names: Pick<ToolNames, 'toWire'>;
  /** The encrypted reasoning and the item ids that the request already holds. Writing a message adds to it. */
  readonly reasoningSent: Set<string>;
  /** The model accepts the phase of its text in the history. */
  readonly withPhases: boolean;
}

/** Writes a message as items of the Responses API; an empty message gives none. Write messages in order. */
export function inputItems(message: KnownMessage, writing: ItemWriting): readonly InputItem[] {
  switch (message.role) {
    case 'system':
    case 'user': {
      const content = message.content.filter(isMeaningful).map(inputPart);
      const role = message.role === 'system' ? 'developer' : 'user';
      return content.length === 0 ? [] : [{ type: 'message', role, content }];
    }
    case 'assistant':
      return assistantItems(message, writing);
    case 'tool': {
      const call_id = writing.ids.ofResult(message.toolCallId);
      return [{ type: 'function_call_output', call_id, output: resultOutput(message) }];
    }
  }
}

/** Reasoning, text and calls of one answer, each at its original position. */
function assistantItems(message: KnownAssistantMessage, writing: ItemWriting): readonly InputItem[] {
  const { content, toolCalls = [], reasoningItems = [] } = message;
  const phase = writing.withPhases ? phaseOf(message) : undefined;
  const sentIds = writing.ids.ofCalls(toolCalls);
  const items: InputItem[] = [];
  const count = content.length + toolCalls.length;
  let waiting: InputItem[] = [];
  for (let place = 0; place < count; place++) {
    for (const item of reasoningItems) {
      if ((item.position ?? 0) !== place) continue;
      const sent = reasoningToSend(item, writing.reasoningSent);
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
        name: writing.names.toWire(call.name),
        arguments: toolArguments(call.arguments),
      });
    } else {
      // Blank text is left out, and the reasoning before it moves before the next item.
      continue;
    }
    waiting = [];
  }
  return items;
}

/**
 * The phase of an answer's text: the text of an answer with calls is commentary. The provider labels texts in the same way. A
 * model that does not get the labels back can take commentary for a final answer and stop early. The event log does not store
 * the labels, because they follow from the calls.
 *
 * @see `ResponseOutputMessage.phase` in the types of the package `openai`
 */
function phaseOf({ toolCalls = [] }: KnownAssistantMessage): MessagePhase {
  return toolCalls.length > 0 ? 'commentary' : 'final_answer';
}

/** Neighbouring text parts become one message, as the provider sent them. */
function addWords(items: InputItem[], part: KnownContent, phase: MessagePhase | undefined): void {
  const words: OutputText = { type: 'output_text', text: textOnly([part]), annotations: [] };
  const last = items.at(-1);
  if (last?.type === 'message' && last.role === 'assistant') last.content.push(words);
  else items.push({ type: 'message', role: 'assistant', content: [words], ...(phase === undefined ? {} : { phase }) });
}

/** The unchanged item; undefined if the provider could not read it or the request already holds it. @see provider-rules C.1 */
function reasoningToSend(
  { id, summary, content, encryptedContent }: ReasoningItem,
  sent: Set<string>,
): InputItem | undefined {
  if (encryptedContent === undefined || sent.has(encryptedContent)) return undefined;
  sent.add(encryptedContent);
  const isSendable = id !== undefined && /^rs[a-zA-Z0-9_-]{0,62}$/.test(id) && !sent.has(id);
  if (isSendable) sent.add(id);
  return {
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    ...(content === undefined ? {} : { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
    encrypted_content: encryptedContent,
    ...(isSendable ? { id } : {}),
  };
}

function inputPart(part: KnownContent): InputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'input_text', text: imageNotShown(source.reason) };
  return { type: 'input_image', image_url: part.url, detail: 'auto' };
}

function resultOutput(message: KnownToolMessage): string | InputPart[] {
  const content = message.content.filter(isMeaningful);
  if (content.some(({ type }) => type === 'image')) return content.map(inputPart);
  const text = textOnly(content);
  return text === '' && message.isError === true ? failedSilently : text;
}
