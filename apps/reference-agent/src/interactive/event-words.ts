import {
  addressOf,
  isToolResult,
  isUserMessage,
  messageContent,
  sliceText,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { ActionEvent, ContentPart, Event, LLMConvertibleEvent } from '@palimpsest/events';
import { onOneLine } from '@palimpsest/terminal';
import type { View } from '@palimpsest/view';
import { callInWords } from '../output/call-words.js';

/** Unit: characters. */
const longest = 120;

/** What a model reads of an event, as text. An image is named. */
export function textOfEvent(event: LLMConvertibleEvent): string {
  if (isToolResult(event)) return textOf(toolResultContent(event));
  switch (event.type) {
    case 'system-prompt':
      return textOf(systemPromptContent(event));
    case 'message':
      return textOf(messageContent(event));
    case 'condensation-summary':
      return textOf(summaryContent(event));
    case 'action':
      return [textOf(event.thought), `${event.toolCall.name} ${event.toolCall.arguments}`]
        .filter((text) => text !== '')
        .join('\n');
  }
}

/** Who speaks in an event, as the model is told. */
export function roleOf(event: LLMConvertibleEvent): 'system' | 'user' | 'assistant' | 'tool' {
  if (isToolResult(event)) return 'tool';
  if (event.type === 'system-prompt') return 'system';
  return event.type === 'action' || (event.type === 'message' && event.role === 'assistant') ? 'assistant' : 'user';
}

/** What an event is, without its words: `result of read_file`. */
export function kindInWords(event: LLMConvertibleEvent): string {
  if (isToolResult(event)) return `result of ${onOneLine(event.toolName)}`;
  switch (event.type) {
    case 'system-prompt':
      return 'instructions and tools';
    case 'action':
      return 'call';
    case 'condensation-summary':
      return 'summary';
    case 'message':
      if (isUserMessage(event)) return 'your message';
      return event.role === 'assistant' ? 'words of the model' : 'words of the framework';
  }
}

/** What an event is and how it begins, on one line. Of a result, with what was called. */
export function eventInWords(event: LLMConvertibleEvent, call?: ActionEvent): string {
  if (event.type === 'action') return shortened(`call: ${callInWords(event.toolCall)}`);
  const kind =
    isToolResult(event) && call !== undefined ? `result of ${callInWords(call.toolCall)}` : kindInWords(event);
  return shortened(`${kind}: ${onOneLine(sliceText(textOfEvent(event).trim(), 0, longest))}`);
}

/** An event of a view with its address, for lists. */
export function eventWithAddress(event: LLMConvertibleEvent, view: View): string {
  return `${addressOf(event.id)}  ${eventInWords(event, callOf(event, view))}`;
}

/** The call that a result answers. */
export function callOf(event: Event, view: View): ActionEvent | undefined {
  const id = isToolResult(event) ? event.actionId : undefined;
  const call = id === undefined ? undefined : view.original(id);
  return call?.type === 'action' ? call : undefined;
}

function shortened(text: string): string {
  return text.length <= longest ? text : `${sliceText(text, 0, longest - 1)}…`;
}

function textOf(parts: readonly ContentPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'image' ? ['[image]'] : []))
    .join('\n');
}
