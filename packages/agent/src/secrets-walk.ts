import type { Event } from '@palimpsest/events';

type Mask = (text: string) => string;

/** What names things and connects events: a value that is found in it is found by chance, and a change would break the log. */
const structure = new Set([
  ...['type', 'id', 'timestamp', 'source', 'role', 'name', 'toolName', 'toolCallId', 'actionId', 'llmResponseId'],
  ...['itemId', 'thoughtSignature', 'condensationId', 'forgottenEventIds', 'eventId', 'responseId', 'model', 'usage'],
  ...['key', 'code', 'condenser', 'outcome', 'purpose', 'activatedSkills', 'sender', 'securityRisk', 'rejectionSource'],
]);
/** Anyone's data: keys may hold a value too. */
const records = new Set(['details', 'metadata', 'data', 'value']);
/** Signed or referred to by the provider: sent back unchanged or not at all. */
const signed = new Set(['thinkingBlocks', 'reasoningItems']);

/** An event of ours with the values hidden in what is text; of another's event everything but the base fields. */
export function maskedEvent<E extends Event>(event: E, mask: Mask): E {
  const { type, id, timestamp, source, ...own } = event;
  const masked = isOurs(event) ? fieldsOf(own, (key, value) => maskedField(key, value, mask)) : maskedData(own, mask);
  return masked === own ? event : ({ type, id, timestamp, source, ...masked } as unknown as E);
}

function isOurs({ type }: Event): boolean {
  return !type.includes('/');
}

/** Any JSON value. A key that is one short word of letters names a field, and stays. */
export function maskedData<T>(value: T, mask: Mask): T {
  if (typeof value === 'string') return mask(value) as T;
  if (typeof value === 'number') return (mask(String(value)) === String(value) ? value : mask(String(value))) as T;
  if (Array.isArray(value)) return itemsOf<unknown>(value, (item) => maskedData(item, mask)) as T;
  return typeof value === 'object' && value !== null ? (maskedRecord(value, mask) as T) : value;
}

function maskedRecord(value: object, mask: Mask): object {
  const inner = fieldsOf(value, (_, each) => maskedData(each, mask));
  const keys = Object.keys(inner);
  const maskedKeys = keys.map((key) => (/^[A-Za-z]{1,19}$/.test(key) ? key : mask(key)));
  if (keys.every((key, index) => key === maskedKeys[index])) return inner;
  return Object.fromEntries(Object.values(inner).map((each: unknown, index) => [maskedKeys[index], each])) as object;
}

function maskedField(key: string, value: unknown, mask: Mask): unknown {
  if (structure.has(key)) return value;
  if (records.has(key)) return maskedData(value, mask);
  if (key === 'tools') return maskedDescriptions(value, mask);
  if (key === 'arguments' && typeof value === 'string') return maskedJson(value, mask);
  if (signed.has(key) && Array.isArray(value)) {
    const kept = value.filter((block) => maskedData(block, mask) === block);
    return kept.length === value.length ? value : kept;
  }
  return maskedContent(value, mask);
}

function maskedContent(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return itemsOf(value, (item) => maskedContent(item, mask));
  return typeof value === 'object' && value !== null
    ? fieldsOf(value, (key, each) => maskedField(key, each, mask))
    : value;
}

/** Of a tool's definition only what is written for the model to read. */
function maskedDescriptions(value: unknown, mask: Mask, isText = false): unknown {
  if (typeof value === 'string') return isText ? mask(value) : value;
  if (Array.isArray(value)) return itemsOf(value, (item) => maskedDescriptions(item, mask, isText));
  if (typeof value !== 'object' || value === null) return value;
  return fieldsOf(value, (key, each) =>
    maskedDescriptions(each, mask, isText || ['description', 'title', 'default', 'examples'].includes(key)),
  );
}

/** Arguments that parsed before still parse. */
function maskedJson(text: string, mask: Mask): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return mask(text);
  }
  const result = maskedData(parsed, mask);
  const written = result === parsed ? text : JSON.stringify(result);
  // A number with more digits than a number holds is read only as text.
  return /\d{16}/.test(written) ? mask(written) : written;
}

function itemsOf<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

function fieldsOf<T extends object>(value: T, change: (key: string, value: unknown) => unknown): T {
  const before = Object.entries(value);
  const after = before.map(([key, each]) => [key, change(key, each)] as const);
  if (after.every(([, each], index) => each === before[index]?.[1])) return value;
  return Object.fromEntries(after) as T;
}
