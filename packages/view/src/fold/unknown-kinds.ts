import { hostFile, isKnownContent, isKnownThinkingBlock, isSentRole } from '@palimpsest/events';
import type { ContentPart, Event, LLMConvertibleEvent } from '@palimpsest/events';

/** The parts of an event that may go to a model. */
function contentOf(event: LLMConvertibleEvent): readonly ContentPart[] {
  switch (event.type) {
    case 'message':
    case 'observation':
      return [...event.content, ...(event.extendedContent ?? [])];
    case 'action':
      return event.thought;
    default:
      return [];
  }
}

/**
 * Returns true for an event with a part, role or thinking block of a kind that this version does not know. Such content
 * is not sent; a newer version may have sent it.
 */
export function lacksUnknown(event: LLMConvertibleEvent): boolean {
  // This runs for every event of a log, so it allocates nothing.
  switch (event.type) {
    case 'message':
      return (
        !isSentRole(event.role) ||
        hasUnknownPart(event.content) ||
        (event.extendedContent !== undefined && hasUnknownPart(event.extendedContent)) ||
        hasUnknownThinking(event)
      );
    case 'observation':
      return (
        hasUnknownPart(event.content) || (event.extendedContent !== undefined && hasUnknownPart(event.extendedContent))
      );
    case 'action':
      return hasUnknownPart(event.thought) || hasUnknownThinking(event);
    default:
      return false;
  }
}

function hasUnknownPart(parts: readonly ContentPart[]): boolean {
  for (let index = 0; index < parts.length; index++) if (!isKnown(parts[index] as ContentPart)) return true;
  return false;
}

/** A file of the host is known, though only the host can send it. */
function isKnown(part: ContentPart): boolean {
  return isKnownContent(part) || hostFile(part) !== undefined;
}

/** Returns true for an event whose thinking is not sent because this version does not know one of its blocks. */
export function hasUnknownThinking(event: LLMConvertibleEvent): boolean {
  return (
    (event.type === 'action' || event.type === 'message') &&
    event.thinkingBlocks !== undefined &&
    !event.thinkingBlocks.every(isKnownThinkingBlock)
  );
}

/**
 * Returns the unknown kinds of an event for which {@link lacksUnknown} is true and their consequences, one sentence
 * each.
 */
export function unknownKinds(event: LLMConvertibleEvent): readonly string[] {
  const parts = contentOf(event);
  const blocks = 'thinkingBlocks' in event ? (event.thinkingBlocks ?? []) : [];
  const unknownParts = names(parts.flatMap((part) => (isKnown(part) ? [] : [part.type])));
  const unknownBlocks = names(blocks.flatMap((block) => (isKnownThinkingBlock(block) ? [] : [block.type])));
  return [
    ...(event.type === 'message' && !isSentRole(event.role)
      ? [`this version does not know the role ${names([event.role])}: the message is not sent`]
      : []),
    ...(unknownParts === '' ? [] : [`this version does not know the part ${unknownParts}: it is not sent`]),
    ...(unknownBlocks === ''
      ? []
      : [`this version does not know the thinking ${unknownBlocks}: no thinking of the response is sent`]),
  ];
}

/** Returns the consequence of a source that this version does not know; undefined for known sources. */
export function unknownSource({ source }: Event): string | undefined {
  if (source === 'user' || source === 'agent' || source === 'environment') return undefined;
  return `this version does not know the source ${names([source])}: it is not taken for the user's or the agent's`;
}

/** The names without duplicates. Long names are cut, because they come from the log. */
function names(kinds: readonly string[]): string {
  return [...new Set(kinds)].map((kind) => `'${kind.slice(0, 40)}'`).join(', ');
}
