import type { ContentPart, Message } from '@palimpsest/events';
import type { ModelFacts } from '../models/model-facts.js';
import { imageSource } from '../wire/image-source.js';

/** @see provider-rules A.3 */
const maxImages = { small: 100, large: 600, smallWindow: 200_000 };

/** The number of images that one request to a model may hold. */
export function imageLimit({ contextWindow }: Pick<ModelFacts, 'contextWindow'>): number {
  return contextWindow !== undefined && contextWindow <= maxImages.smallWindow ? maxImages.small : maxImages.large;
}

/**
 * The messages with no more images than a request may hold: the oldest are replaced by a text that says so. They are replaced
 * in steps of half the limit, so that the history changes seldom and the prompt cache is seldom lost. Returns the same array if
 * all images fit.
 */
export function withinImageLimit(messages: readonly Message[], limit: number): readonly Message[] {
  const count = messages.reduce((sum, { content }) => sum + content.filter(isSent).length, 0);
  if (count <= limit) return messages;
  const step = Math.max(1, Math.floor(limit / 2));
  let hidden = Math.ceil((count - limit) / step) * step;
  const text = `(An image is not shown here: only the newest fit, ${limit} at most.)`;
  return messages.map((message) => {
    if (hidden === 0 || !message.content.some(isSent)) return message;
    const content = message.content.map((part): ContentPart => {
      if (hidden === 0 || !isSent(part)) return part;
      hidden--;
      return { type: 'text', text };
    });
    return { ...message, content };
  });
}

function isSent(part: ContentPart): boolean {
  return part.type === 'image' && imageSource(part).type !== 'unsupported';
}
