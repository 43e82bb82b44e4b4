import type { ContentPart, Event, ImageContent, TextContent, ToolOutput } from '@palimpsest/events';

/** A function that hides values in texts that are read as one. It returns as many texts as it gets. */
export type Mask = (texts: readonly string[]) => readonly string[];

function maskedText(text: string, mask: Mask): string {
  return mask([text])[0] ?? '';
}

/** Fields that name things and connect events. A value in them is a coincidence, and a change would break the log. */
const structure = new Set([
  ...['type', 'id', 'timestamp', 'source', 'role', 'name', 'toolName', 'toolCallId', 'actionId', 'llmResponseId'],
  ...['itemId', 'thoughtSignature', 'condensationId', 'forgottenEventIds', 'eventId', 'responseId', 'model', 'usage'],
  ...['key', 'code', 'condenser', 'outcome', 'purpose', 'activatedSkills', 'sender', 'securityRisk', 'rejectionSource'],
]);
/** Fields with data of others, whose keys may hold a value, too. */
const records = new Set(['details', 'metadata', 'data', 'value']);
/** Signed by the provider, or referred to: sent back unchanged as a whole, or not at all. */
const signed = new Set(['thinkingBlocks', 'reasoningItems']);

/** Hides values in the text fields of our events; in a custom event, in all fields but the base fields. */
export function maskedEvent<E extends Event>(event: E, mask: Mask): E {
  const { type, id, timestamp, source, ...own } = event;
  const masked = isOurs(event)
    ? fieldsOf(own, (key, value) => maskedName(event, key, value, mask) ?? maskedField(key, value, mask))
    : maskedData(own, mask);
  return masked === own ? event : ({ type, id, timestamp, source, ...masked } as unknown as E);
}

/** Reports whether an event of a model's answer may end where the answer was cut off. */
export function isCutOff(event: Event): boolean {
  return event.type === 'message' ? event.cutOff !== undefined : event.type === 'action' && event.executable === false;
}

/** Shortens the texts of an answer that was cut off: the answer after it may begin with the rest of a value. */
export function cutPartialSecretsOf<E extends Event>(event: E, cut: (text: string) => string): E {
  if (!isCutOff(event) && event.type !== 'broken-response') return event;
  const mask: Mask = (texts) => texts.map((text, index) => (index < texts.length - 1 ? text : cut(text)));
  return fieldsOf(event, (key, value) => (cutFields.has(key) ? maskedContent(value, mask) : value));
}

const cutFields = new Set(['content', 'cutOff', 'thinking', 'toolCalls', 'toolCall']);

/** Hides values in the output of a tool: in the part that the model reads, and in the details. */
export function maskedOutput<T extends ToolOutput>(output: T, mask: Mask): T {
  if (typeof output === 'string') return maskedText(output, mask) as T;
  // A tool written in JavaScript may return any value.
  if (typeof output !== 'object' || output === null) return output;
  return fieldsOf<object>(output, (key, value) => maskedField(key, value, mask)) as T;
}

/** Masks the tool name of a call that can never be run: the model made it up. The result is a name that providers accept. */
function maskedName(event: Event, key: string, value: unknown, mask: Mask): unknown {
  const named = (name: string): string => {
    const masked = maskedText(name, mask);
    return masked === name ? name : masked.replace(/[^\w-]+/g, '_').slice(0, 64);
  };
  if (event.type === 'agent-error' && key === 'toolName') return named(event.toolName);
  if (event.type !== 'action' || event.executable !== false || key !== 'toolCall') return undefined;
  const name = named(event.toolCall.name);
  return maskedField(key, name === event.toolCall.name ? value : { ...event.toolCall, name }, mask);
}

function isOurs({ type }: Event): boolean {
  return !type.includes('/');
}

/** Hides values in any JSON value. A key that is one short word of letters names a field, and stays. */
export function maskedData<T>(value: T, mask: Mask): T {
  if (typeof value === 'string') return maskedText(value, mask) as T;
  if (typeof value === 'number') {
    const masked = maskedText(String(value), mask);
    return (masked === String(value) ? value : masked) as T;
  }
  if (Array.isArray(value)) return maskedList(value, mask) as T;
  return typeof value === 'object' && value !== null ? (maskedRecord(value, mask) as T) : value;
}

/** Masks the items, and what neighbouring texts or the bytes of a file are together. */
function maskedList(list: readonly unknown[], mask: Mask): readonly unknown[] {
  const items = itemsOf(list, (item) => maskedData(item, mask));
  if (items.every((item) => typeof item === 'string')) {
    const texts = mask(items);
    return itemsOf(items, (item, index) => texts[index] ?? item);
  }
  if (!items.every((item) => typeof item === 'number')) return items;
  const numbers = items.join(' ');
  const masked = maskedText(numbers, mask);
  return masked === numbers ? items : [masked];
}

function maskedRecord(value: object, mask: Mask): object {
  const inner = fieldsOf(value, (_, each) => maskedData(each, mask));
  const keys = Object.keys(inner);
  const maskedKeys = keys.map((key) => (/^[A-Za-z]{1,19}$/.test(key) ? key : maskedText(key, mask)));
  if (keys.every((key, index) => key === maskedKeys[index])) return inner;
  return Object.fromEntries(Object.values(inner).map((each: unknown, index) => [maskedKeys[index], each])) as object;
}

function maskedField(key: string, value: unknown, mask: Mask): unknown {
  if (structure.has(key)) return value;
  if (records.has(key)) return maskedData(value, mask);
  if (key === 'tools') return maskedDescriptions(value, mask);
  if (key === 'arguments' && typeof value === 'string') return maskedJson(value, mask);
  if (signed.has(key) && Array.isArray(value)) {
    return value.every((block) => maskedData<unknown>(block, mask) === block) ? value : [];
  }
  return maskedContent(value, mask);
}

function maskedContent(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return maskedText(value, mask);
  if (Array.isArray(value)) return maskedItems(value, mask);
  if (typeof value !== 'object' || value === null) return value;
  return isImage(value) ? maskedImage(value, mask) : fieldsOf(value, (key, each) => maskedField(key, each, mask));
}

/** Masks neighbouring texts as one: a tool that streams may split a value. */
function maskedItems(items: readonly unknown[], mask: Mask): readonly unknown[] {
  const texts = mask(items.map((item) => (isText(item) ? item.text : '\0')));
  return itemsOf(items, (item, index) => {
    if (!isText(item)) return maskedContent(item, mask);
    const text = texts[index] ?? item.text;
    return text === item.text ? item : { ...item, text };
  });
}

/** Replaces an image by a text: providers would refuse a changed image or address in each request. */
function maskedImage(image: ImageContent, mask: Mask): ContentPart {
  const url = maskedText(image.url, mask);
  if (url === image.url) return image;
  const label = /\[secret [\w.-]+\]/.exec(url)?.[0] ?? 'a secret';
  return { type: 'text', text: `An image is left out here, since it holds ${label}.` };
}

function isText(part: unknown): part is TextContent {
  const { type, text } = (part ?? {}) as Partial<TextContent>;
  return type === 'text' && typeof text === 'string';
}

function isImage(part: object): part is ImageContent {
  const { type, url } = part as Partial<ImageContent>;
  return type === 'image' && typeof url === 'string';
}

/** Hides values in tool definitions, in the texts that the model reads. */
export function maskedDescriptions<T>(value: T, mask: Mask): T {
  return described(value, mask, false) as T;
}

function described(value: unknown, mask: Mask, isRead: boolean): unknown {
  if (typeof value === 'string') return isRead ? maskedText(value, mask) : value;
  if (Array.isArray(value)) return itemsOf(value, (item) => described(item, mask, isRead));
  if (typeof value !== 'object' || value === null) return value;
  return fieldsOf(value, (key, each) =>
    described(each, mask, isRead || ['description', 'title', 'default', 'examples'].includes(key)),
  );
}

/** Masks JSON text. A text that parses still parses afterwards. */
function maskedJson(text: string, mask: Mask): string {
  const parsed = nesting(text) > deepest ? undefined : parsedJson(text);
  if (parsed === undefined) return maskedText(text, mask);
  const result = maskedData(parsed, mask);
  if (result === parsed && maskedText(text, mask) === text) return text;
  // A number with more digits than a double holds is only searched as text. Any other text is written anew, also when nothing
  // was found: of a repeated key, only the last value was parsed.
  const written = result === parsed && /\d{16}/.test(text) ? text : JSON.stringify(result);
  const hidden = maskedText(written, mask);
  // Hiding a value that is itself JSON, or a number, can break the syntax.
  return hidden === written || parsedJson(hidden) !== undefined ? hidden : JSON.stringify({ masked: hidden });
}

/** A value that is nested deeper is masked as text. */
const deepest = 100;

function nesting(text: string): number {
  let [depth, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[[{\]}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > most) most = depth;
  }
  return most;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function itemsOf<T>(items: readonly T[], change: (item: T, index: number) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

function fieldsOf<T extends object>(value: T, change: (key: string, value: unknown) => unknown): T {
  const before = Object.entries(value);
  const after = before.map(([key, each]) => [key, change(key, each)] as const);
  if (after.every(([, each], index) => each === before[index]?.[1])) return value;
  return Object.fromEntries(after) as T;
}
