import { field, isRecord } from '@palimpsest/messages';
import type { CacheMark } from '@palimpsest/messages';
import { partsOf } from './message-parts.js';

/** The names under which the SDK's providers take a mark for the cache. */
const names: ReadonlySet<string> = new Set(['cacheControl', 'cache_control', 'cachePoint']);

/** Returns the marks of a message and of its parts, each as the provider options that hold it. */
export function marksOf(message: unknown): readonly CacheMark[] {
  return [...partsOf(field(message, 'content')), message].flatMap((one) => {
    const options = field(one, 'providerOptions');
    if (!isRecord(options)) return [];
    return Object.entries(options).flatMap(([provider, own]) =>
      Object.entries(isRecord(own) ? own : {}).flatMap(([name, value]): CacheMark[] =>
        names.has(name) && isRecord(value)
          ? [{ value: { [provider]: { [name]: value } }, lifeMs: field(value, 'ttl') === '1h' ? 3_600_000 : 300_000 }]
          : [],
      ),
    );
  });
}

/** Returns a message, or a part, without its own marks. */
export function unmarked<Value extends object>(value: Value): Value {
  const options = field(value, 'providerOptions');
  if (!isRecord(options)) return value;
  const entries = Object.entries(options).map(([provider, own]) => {
    const kept = isRecord(own) ? Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name))) : own;
    return [provider, kept] as const;
  });
  return { ...value, providerOptions: Object.fromEntries(entries) };
}

/**
 * Returns a copy of a message with a mark for all of it: the providers set it on its last part. Undefined if it has
 * one.
 */
export function marked<Message extends object>(message: Message, { value }: CacheMark): Message | undefined {
  if (!isRecord(value) || marksOf(message).length > 0) return undefined;
  const options = field(message, 'providerOptions');
  const merged = Object.entries(value).map(([provider, own]) => {
    const present = field(options, provider);
    return [provider, isRecord(present) && isRecord(own) ? { ...present, ...own } : own] as const;
  });
  return { ...message, providerOptions: { ...(isRecord(options) ? options : {}), ...Object.fromEntries(merged) } };
}
