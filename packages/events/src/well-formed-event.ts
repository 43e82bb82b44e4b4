import type { Event } from './event.js';
import type { ActionEvent, LLMConvertibleEvent, MessageEvent } from './llm-convertible-events.js';
import { isLLMConvertible } from './llm-convertible-events.js';
import { wellFormedJson } from './well-formed-json.js';
import { wellFormedPart, wellFormedThinking } from './well-formed-message.js';

/**
 * The well-formed copy of an event, for writers of logs: U+FFFD replaces every half of a surrogate pair in texts and keys.
 * Signed or opaque data with such a half is left out, and an image with such a URL is replaced by words. A well-formed event is
 * returned unchanged, as the same object. Events that are already in a log need no copy: rendering makes them well-formed.
 */
export function wellFormedEvent<E extends Event>(event: E): E {
  const sound = wellFormedJson(event);
  if (sound === event) return event;
  return Object.freeze(isLLMConvertible(event) ? (withoutOpaque(event, sound as never) as Event as E) : sound);
}

/** The copy, with nothing in it that must not be altered and was. */
function withoutOpaque(event: LLMConvertibleEvent, sound: LLMConvertibleEvent): LLMConvertibleEvent {
  switch (sound.type) {
    case 'message': {
      const { content } = event as MessageEvent;
      return { ...withSoundThinking(sound, event as MessageEvent), content: content.map(wellFormedPart) };
    }
    case 'action': {
      const { thought, toolCall } = event as ActionEvent;
      const { thoughtSignature, itemId, ...call } = sound.toolCall;
      return {
        ...withSoundThinking(sound, event as ActionEvent),
        thought: thought.map(wellFormedPart),
        toolCall: {
          ...call,
          ...(itemId === undefined || itemId !== toolCall.itemId ? {} : { itemId }),
          ...(thoughtSignature === undefined || thoughtSignature !== toolCall.thoughtSignature
            ? {}
            : { thoughtSignature }),
        },
      };
    }
    case 'observation':
      return { ...sound, content: (event as typeof sound).content.map(wellFormedPart) };
    default:
      return sound;
  }
}

function withSoundThinking<E extends ActionEvent | MessageEvent>(sound: E, event: E): E {
  const { thinkingBlocks, reasoningItems, reasoningContent } = wellFormedThinking(event);
  const { thinkingBlocks: _blocks, reasoningItems: _items, reasoningContent: _words, ...rest } = sound;
  return {
    ...rest,
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
    ...(reasoningItems === undefined ? {} : { reasoningItems }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  } as E;
}
