import { expectTypeOf } from 'vitest';
import { createEvent, isLLMConvertible, isToolResult, messageContent, parseEvent } from './index.js';
import type {
  ContentPart,
  CustomContent,
  CustomThinkingBlock,
  EventSource,
  ImageContent,
  TextContent,
  ThinkingBlock,
  CustomEvent,
  Event,
  LLMConvertibleEvent,
  MessageEvent,
  ToolResultEvent,
} from './index.js';

declare const event: Event;

// Known types narrow, although the union is open.
if (event.type === 'message') expectTypeOf(event).toEqualTypeOf<MessageEvent>();
if (event.type === 'acme/note') expectTypeOf(event).toEqualTypeOf<CustomEvent>();
if (isLLMConvertible(event)) expectTypeOf(event).toEqualTypeOf<LLMConvertibleEvent>();
if (isToolResult(event)) expectTypeOf(event).toEqualTypeOf<ToolResultEvent>();

expectTypeOf(parseEvent).returns.toEqualTypeOf<Event>();
expectTypeOf(createEvent('pause', {}).type).toEqualTypeOf<'pause'>();
expectTypeOf(createEvent('acme/note', { source: 'user' })).toEqualTypeOf<CustomEvent>();

// @ts-expect-error A message has no default source, because its source is never inferred from its role.
createEvent('message', { role: 'user', content: [] });
// @ts-expect-error A type of one's own is namespaced.
createEvent('note', { source: 'user' });
// @ts-expect-error An event is read-only.
event.id = 'other';
if (event.type === 'message') {
  // @ts-expect-error However deep.
  event.content[0] = { type: 'text', text: 'other' };
}

declare const part: ContentPart;
declare const block: ThinkingBlock;
declare const source: EventSource;

// So do the known kinds inside of an event, although theirs are open too.
switch (part.type) {
  case 'text':
    expectTypeOf(part).toEqualTypeOf<TextContent>();
    expectTypeOf(part.text).toEqualTypeOf<string>();
    break;
  case 'image':
    expectTypeOf(part).toEqualTypeOf<ImageContent>();
    break;
  default:
    expectTypeOf(part).toEqualTypeOf<CustomContent>();
}
if (block.type === 'thinking') expectTypeOf(block.thinking).toEqualTypeOf<string>();
else if (block.type === 'redacted-thinking') expectTypeOf(block.data).toEqualTypeOf<string>();
else expectTypeOf(block).toEqualTypeOf<CustomThinkingBlock>();
if (source === 'user') expectTypeOf(source).toEqualTypeOf<'user'>();
if (event.type === 'message' && event.role === 'assistant') expectTypeOf(event.role).toEqualTypeOf<'assistant'>();
if (event.type === 'message') expectTypeOf(messageContent(event)).items.toEqualTypeOf<TextContent | ImageContent>();

// A part that is not text need not be an image.
// @ts-expect-error It may be of a kind that this version does not know.
if (part.type !== 'text') expectTypeOf(part.url).toEqualTypeOf<string>();
// @ts-expect-error A source of one's own is namespaced.
createEvent('pause', { source: 'hook' });
createEvent('message', { source: 'acme/hook', role: 'user', content: [{ type: 'acme/sketch', strokes: [] }] });
