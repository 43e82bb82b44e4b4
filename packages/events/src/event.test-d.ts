import { expectTypeOf } from 'vitest';
import { createEvent, isLLMConvertible, isToolResult, parseEvent } from './index.js';
import type { CustomEvent, Event, LLMConvertibleEvent, MessageEvent, ToolResultEvent } from './index.js';

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
