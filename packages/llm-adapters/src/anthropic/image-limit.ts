import type { ContentPart, Message } from '@palimpsest/events';
import type { ModelFacts } from '../models/model-facts.js';
import { imageSource } from '../wire/images.js';

/** @see provider-rules A.3 */
const maxImages = { small: 100, large: 600, smallWindow: 200_000 };

/** Returns the number of images that one request to a model may hold. */
export function imageLimit({ contextWindow }: Pick<ModelFacts, 'contextWindow'>): number {
  return contextWindow !== undefined && contextWindow <= maxImages.smallWindow ? maxImages.small : maxImages.large;
}

/**
 * Returns the messages with no more images than a request may hold: the oldest are replaced by a text that says so.
 * They are replaced in steps of half the limit, so that the history changes seldom and the prompt cache is seldom lost.
 * Returns the same array if all images fit.
 */
export function withinImageLimit(messages: readonly Message[], limit: number): readonly Message[] {
  // To see whether an image can be sent takes reading all of it.
  if (countOf(messages, isImage) <= limit) return messages;
  const count = countOf(messages, isSent);
  if (count <= limit) return messages;
  const step = Math.max(1, Math.floor(limit / 2));
  let hidden = Math.ceil((count - limit) / step) * step;
  const text = `(An image is not shown here: only the newest fit, ${limit} at most.)`;
  return messages.map((message) => {
    const images = hidden === 0 ? 0 : countOf([message], isSent);
    if (images === 0) return message;
    const leftOut = Math.min(images, hidden);
    hidden -= leftOut;
    return withoutImages(message, leftOut, text);
  });
}

function withoutImages(message: Message, count: number, text: string): Message {
  let left = count;
  const content = message.content.map((part): ContentPart => {
    if (left === 0 || !isSent(part)) return part;
    left--;
    return { type: 'text', text };
  });
  return { ...message, content };
}

/** Returns the number of parts of the messages of which something is true. */
function countOf(messages: readonly Message[], isCounted: (part: ContentPart) => boolean): number {
  let count = 0;
  for (const { content } of messages) for (const part of content) if (isCounted(part)) count += 1;
  return count;
}

function isImage({ type }: ContentPart): boolean {
  return type === 'image';
}

function isSent(part: ContentPart): boolean {
  return part.type === 'image' && imageSource(part).type !== 'unsupported';
}
