import type { AssistantMessage } from '@palimpsest/events';

/**
 * A piece of a streamed answer, which never ends within a character. Tool calls are identified by their index; `id` and `name` come with the first piece of a call.
 *
 * `restart` is not a piece: the connection was lost, and the model is asked again. The deltas of this answer so far are void.
 * The deltas that follow belong to a new answer, whose calls are counted from 0 again.
 */
export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** The next piece of the arguments' JSON text. */
      readonly arguments: string;
    }
  | {
      readonly type: 'restart';
      /** The reason: the message of the error in which the try ended. */
      readonly reason: string;
    };

/** A complete answer as deltas, for adapters that do not stream. */
export function deltasFromMessage(message: AssistantMessage): readonly Delta[] {
  const thinking = (message.thinkingBlocks ?? []).flatMap((block) =>
    block.type === 'thinking' ? [block.thinking] : [],
  );
  if (message.reasoningContent !== undefined) thinking.push(message.reasoningContent);
  return [
    ...thinking.filter((text) => text !== '').map((text) => ({ type: 'thinking' as const, text })),
    ...message.content.flatMap((part) => (part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : [])),
    ...(message.toolCalls ?? []).map(({ id, name, arguments: text }, index) => ({
      type: 'tool-call' as const,
      index,
      id,
      name,
      arguments: text,
    })),
  ];
}

/** Listens to the deltas of one try, and hands them out without a character that is split over two of them. */
export interface WholeCharacters {
  readonly add: (delta: Delta) => void;
  /** Hands out what is left. If no delta came, because a server did not stream, hands out the message. */
  readonly end: (message: AssistantMessage) => void;
}

/**
 * Holds back the first half of a surrogate pair until the next piece of the same text brings the other. Servers split text between
 * any two UTF-16 units, and a listener that writes each piece as UTF-8 would write two U+FFFD for one character.
 */
export function wholeCharacters(onDelta: (delta: Delta) => void): WholeCharacters {
  /** The first halves that wait, by what they are a piece of. */
  const held = new Map<string, Exclude<Delta, { readonly type: 'restart' }>>();
  let isSilent = true;
  const add = (delta: Delta): void => {
    isSilent = false;
    if (delta.type === 'restart') return onDelta(delta);
    const key = delta.type === 'tool-call' ? `${delta.index}` : delta.type;
    const before = held.get(key);
    const text = (before === undefined ? '' : textIn(before)) + textIn(delta);
    const half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    const now = text.slice(0, text.length - half.length);
    if (half === '') held.delete(key);
    else
      held.set(
        key,
        delta.type === 'tool-call'
          ? { type: 'tool-call', index: delta.index, arguments: half }
          : { ...delta, text: half },
      );
    if (delta.type === 'tool-call') onDelta({ ...delta, arguments: now });
    else if (now !== '') onDelta({ ...delta, text: now });
  };
  return {
    add,
    end: (message) => {
      if (isSilent) deltasFromMessage(message).forEach(add);
      held.forEach((half) => onDelta(half));
    },
  };
}

function textIn(delta: Exclude<Delta, { readonly type: 'restart' }>): string {
  return delta.type === 'tool-call' ? delta.arguments : delta.text;
}
