import { field, isRecord, textOf } from '@palimpsest/messages';

/** The fields of a message, by LangChain's names: `content`, `tool_calls`, `additional_kwargs`. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message's kind, as `getType()` names it. */
export type Kind = 'human' | 'ai' | 'system' | 'tool' | 'function';

/**
 * Returns a message as it can be found: an instance of `BaseMessage`, a structured clone of one, and its JSON form.
 * Undefined for any other value.
 */
export function messageOf(message: unknown): { readonly kind: Kind; readonly fields: Fields } | undefined {
  if (!isRecord(message)) return undefined;
  const { kwargs } = message;
  const isJson = isSerialized(message) && isRecord(kwargs);
  const fields = isJson ? kwargs : message;
  const kind = isJson ? kindOfClass(message['id']) : (typeOf(message) ?? message['type']);
  switch (kind) {
    case 'human':
    case 'ai':
    case 'system':
    case 'tool':
    case 'function':
      return { kind, fields };
    case 'generic':
      return { kind: kindOfRole(fields['role']), fields };
    case 'developer':
      return { kind: 'system', fields };
    default:
      return undefined;
  }
}

/** Returns a copy of a message with other fields, of the same class. */
export function withFields<Message extends object>(message: Message, fields: Fields): Message {
  if (isSerialized(message)) {
    return { ...message, kwargs: { ...(field(message, 'kwargs') as Fields), ...fields } };
  }
  const own = field(message, 'lc_kwargs');
  const prototype = Object.getPrototypeOf(message) as object;
  return Object.assign(Object.create(prototype) as Message, message, fields, {
    ...(isRecord(own) ? { lc_kwargs: { ...own, ...fields } } : {}),
  });
}

function isSerialized(message: object): boolean {
  return field(message, 'lc') === 1 && field(message, 'type') === 'constructor';
}

function typeOf(message: Fields): unknown {
  const { getType } = message;
  return typeof getType === 'function' ? (getType as () => unknown).call(message) : undefined;
}

/** `['langchain_core', 'messages', 'AIMessageChunk']`. */
function kindOfClass(id: unknown): string | undefined {
  const name = Array.isArray(id) ? textOf(id.at(-1)) : undefined;
  return name?.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}

function kindOfRole(role: unknown): Kind {
  if (role === 'assistant' || role === 'system' || role === 'tool') return role === 'assistant' ? 'ai' : role;
  return role === 'developer' ? 'system' : 'human';
}
