import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, Message, ReasoningItem } from '@palimpsest/events';
import { Memo } from '../../memo.js';
import { sentIdsOf } from '../../wire/call-ids.js';
import type { CallIds } from '../../wire/call-ids.js';
import { imageSource } from '../../wire/images.js';
import type { SendableAssistantMessage, SendableMessage, SendableToolMessage } from '../../wire/sendable-message.js';
import { failedSilently, imageNotShown, sendableMessage, textOnly } from '../../wire/sendable-message.js';
import { toolArguments } from '../../wire/tool-input.js';
import { sentNamesOf } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';

/** The phase of the model's text: commentary or final answer. */
type MessagePhase = 'commentary' | 'final_answer';

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
  readonly reasoningSent: { has(text: string): boolean; add(text: string): void };
  /** The model accepts the phase of its text in the history. */
  readonly withPhases: boolean;
  /** Each result that is not empty is a list of parts, so that it can carry a cache mark. @defaultValue `false` */
  readonly resultsInParts?: boolean;
}

const written = new Memo<Message, readonly InputItem[]>();

/**
 * Writes a message as items of the Responses API; an empty message gives none. Write messages in order. The items are
 * well-formed. Those of a frozen message are remembered, shared by all calls, and frozen.
 */
export function inputItems(message: Message, writing: ItemWriting): readonly InputItem[] {
  const { withPhases, resultsInParts = false } = writing;
  const sentIds = sentIdsOf(message, writing.ids);
  const sentNames = sentNamesOf(message, writing.names);
  const reasoning = reasoningOf(message, writing.reasoningSent);
  const inputs = [withPhases, resultsInParts, sentIds.length, ...sentIds, sentNames.length, ...sentNames, ...reasoning];
  const how = { sentIds, sentNames, reasoning, withPhases, resultsInParts };
  return written.of(message, () => itemsOf(sendableMessage(message), how), inputs);
}

/** The form in which a message is written, besides the message itself. */
interface Written extends Required<Pick<ItemWriting, 'withPhases' | 'resultsInParts'>> {
  readonly sentIds: readonly string[];
  readonly sentNames: readonly string[];
  readonly reasoning: readonly ReasoningForm[];
}

function itemsOf(message: SendableMessage, how: Written): readonly InputItem[] {
  switch (message.role) {
    case 'system':
    case 'user': {
      const content = message.content.filter(isMeaningful).map(inputPart);
      const role = message.role === 'system' ? 'developer' : 'user';
      return content.length === 0 ? [] : [{ type: 'message', role, content }];
    }
    case 'assistant':
      return assistantItems(message, how);
    case 'tool': {
      const call_id = how.sentIds[0] ?? message.toolCallId;
      const output = resultOutput(message);
      const inParts = how.resultsInParts && typeof output === 'string' && output !== '';
      return [
        { type: 'function_call_output', call_id, output: inParts ? [{ type: 'input_text', text: output }] : output },
      ];
    }
  }
}

/** Reasoning, text and calls of one answer, each at its original position. */
function assistantItems(message: SendableAssistantMessage, how: Written): readonly InputItem[] {
  const { content, toolCalls = [], reasoningItems = [] } = message;
  const phase = how.withPhases ? phaseOf(message) : undefined;
  const items: InputItem[] = [];
  const count = content.length + toolCalls.length;
  let waiting: InputItem[] = [];
  for (let place = 0; place < count; place++) {
    reasoningItems.forEach((item, index) => {
      if ((item.position ?? 0) === place) waiting.push(...reasoningItem(item, how.reasoning[index] ?? 'left-out'));
    });
    const part = content[place];
    const call = toolCalls[place - content.length];
    if (part !== undefined && isMeaningful(part)) {
      items.push(...waiting);
      addWords(items, part, phase);
    } else if (call !== undefined) {
      items.push(...waiting, {
        type: 'function_call',
        call_id: how.sentIds[place - content.length] ?? call.id,
        name: how.sentNames[place - content.length] ?? call.name,
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
 * Returns the phase of an answer's text: the text of an answer with calls is commentary. The provider labels texts in
 * the same way. A model that does not get the labels back can take commentary for a final answer and stop early. The
 * event log does not store the labels, because they follow from the calls.
 *
 * @see `ResponseOutputMessage.phase` in the types of the package `openai`
 */
function phaseOf({ toolCalls = [] }: SendableAssistantMessage): MessagePhase {
  return toolCalls.length > 0 ? 'commentary' : 'final_answer';
}

/** Neighbouring text parts become one message, as the provider sent them. */
function addWords(items: InputItem[], part: KnownContent, phase: MessagePhase | undefined): void {
  const words: OutputText = { type: 'output_text', text: textOnly([part]), annotations: [] };
  const last = items.at(-1);
  if (last?.type === 'message' && last.role === 'assistant') last.content.push(words);
  else items.push({ type: 'message', role: 'assistant', content: [words], ...(phase === undefined ? {} : { phase }) });
}

/** The form in which a reasoning item is sent: not at all, without its id, or as it is. */
type ReasoningForm = 'left-out' | 'without-id' | 'whole';

const noReasoning: readonly ReasoningForm[] = [];

/** Returns the forms of a message's reasoning items. Adds what is sent to `sent`. */
function reasoningOf(given: Message, sent: ItemWriting['reasoningSent']): readonly ReasoningForm[] {
  if (given.role !== 'assistant' || given.reasoningItems === undefined) return noReasoning;
  const { content, toolCalls = [], reasoningItems = [] } = sendableMessage(given);
  const forms = reasoningItems.map((): ReasoningForm => 'left-out');
  const count = content.length + toolCalls.length;
  const inOrder = [...reasoningItems.entries()].sort(
    ([, one], [, other]) => (one.position ?? 0) - (other.position ?? 0),
  );
  for (const [index, item] of inOrder) if ((item.position ?? 0) < count) forms[index] = formOf(item, sent);
  return forms;
}

/**
 * Returns the form of an item. It is left out if the provider could not read it or the request already holds it. @see
 * provider-rules C.1
 */
function formOf({ id, encryptedContent }: ReasoningItem, sent: ItemWriting['reasoningSent']): ReasoningForm {
  if (encryptedContent === undefined || sent.has(encryptedContent)) return 'left-out';
  sent.add(encryptedContent);
  if (id === undefined || !/^rs[a-zA-Z0-9_-]{0,62}$/.test(id) || sent.has(id)) return 'without-id';
  sent.add(id);
  return 'whole';
}

/** Returns the unchanged item, in the form in which it is sent. */
function reasoningItem({ id, summary, content, encryptedContent }: ReasoningItem, form: ReasoningForm): InputItem[] {
  if (form === 'left-out' || encryptedContent === undefined) return [];
  return [
    {
      type: 'reasoning',
      summary: summary.map((text) => ({ type: 'summary_text', text })),
      ...(content === undefined ? {} : { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
      encrypted_content: encryptedContent,
      ...(form === 'whole' && id !== undefined ? { id } : {}),
    },
  ];
}

function inputPart(part: KnownContent): InputPart {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'input_text', text: imageNotShown(source.reason) };
  return { type: 'input_image', image_url: part.url, detail: 'auto' };
}

function resultOutput(message: SendableToolMessage): string | InputPart[] {
  const content = message.content.filter(isMeaningful);
  if (content.some(({ type }) => type === 'image')) return content.map(inputPart);
  const text = textOnly(content);
  return text === '' && message.isError === true ? failedSilently : text;
}
