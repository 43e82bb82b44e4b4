import { isKnownContent, isKnownThinkingBlock, isSentRole } from '@palimpsest/events';
import type { ContentPart, Event, LLMConvertibleEvent } from '@palimpsest/events';

const noParts: readonly ContentPart[] = [];

/** The parts of an event that may go to a model, in lists as they stand in it. */
function contentOf(event: LLMConvertibleEvent): readonly (readonly ContentPart[])[] {
  switch (event.type) {
    case 'message':
    case 'observation':
      return [event.content, event.extendedContent ?? noParts];
    case 'action':
      return [event.thought];
    default:
      return [];
  }
}

/**
 * True for an event of which something is not sent because this version does not know its kind: a part, a role, a block of
 * thinking. A newer version may have sent it.
 */
export function lacksUnknown(event: LLMConvertibleEvent): boolean {
  if (event.type === 'message' && !isSentRole(event.role)) return true;
  if (!contentOf(event).every((parts) => parts.every(isKnownContent))) return true;
  return hasUnknownThinking(event);
}

/** True for an event whose thinking is not sent because this version does not know one of its blocks. */
export function hasUnknownThinking(event: LLMConvertibleEvent): boolean {
  return (
    (event.type === 'action' || event.type === 'message') &&
    event.thinkingBlocks !== undefined &&
    !event.thinkingBlocks.every(isKnownThinkingBlock)
  );
}

/** What of an event this version does not know and what follows from it, a sentence each. None for nearly all events. */
export function unknownKinds(event: LLMConvertibleEvent): readonly string[] {
  const notes = unknownSource(event);
  if (!lacksUnknown(event)) return notes;
  const parts = contentOf(event).flat();
  const blocks = 'thinkingBlocks' in event ? (event.thinkingBlocks ?? []) : [];
  const unknownParts = names(parts.flatMap((part) => (isKnownContent(part) ? [] : [part.type])));
  const unknownBlocks = names(blocks.flatMap((block) => (isKnownThinkingBlock(block) ? [] : [block.type])));
  return [
    ...notes,
    ...(event.type === 'message' && !isSentRole(event.role)
      ? [`this version does not know the role ${names([event.role])}: the message is not sent`]
      : []),
    ...(unknownParts === '' ? [] : [`this version does not know the part ${unknownParts}: it is not sent`]),
    ...(unknownBlocks === ''
      ? []
      : [`this version does not know the thinking ${unknownBlocks}: no thinking of the response is sent`]),
  ];
}

const none: readonly string[] = [];

/** {@link unknownKinds} of an event that no model reads. */
export function unknownSource({ source }: Event): readonly string[] {
  if (source === 'user' || source === 'agent' || source === 'environment') return none;
  return [`this version does not know the source ${names([source])}: it is not taken for the user's or the agent's`];
}

/** The names, each once and cut where it is long: they come from the log. */
function names(kinds: readonly string[]): string {
  return [...new Set(kinds)].map((kind) => `'${kind.slice(0, 40)}'`).join(', ');
}
