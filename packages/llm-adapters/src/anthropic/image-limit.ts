import type { ContentPart, Message } from '@palimpsest/events';
import { HistoryRuns } from '../history-runs.js';
import type { HistoryReader } from '../history-runs.js';
import { Memo } from '../memo.js';
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
  const { count } = imageRuns.read(messages, () => new ImageCount(0));
  if (count <= limit) return messages;
  const step = Math.max(1, Math.floor(limit / 2));
  let hidden = Math.ceil((count - limit) / step) * step;
  const text = `(An image is not shown here: only the newest fit, ${limit} at most.)`;
  return messages.map((message) => {
    const images = hidden === 0 ? 0 : imagesIn(message);
    if (images === 0) return message;
    const leftOut = Math.min(images, hidden);
    hidden -= leftOut;
    return shortened.of(message, () => withoutImages(message, leftOut, text), [leftOut, text]);
  });
}

const shortened = new Memo<Message, Message>();

function withoutImages(message: Message, count: number, text: string): Message {
  let left = count;
  const content = message.content.map((part): ContentPart => {
    if (left === 0 || !isSent(part)) return part;
    left--;
    return { type: 'text', text };
  });
  return { ...message, content };
}

const imageRuns = new HistoryRuns<ImageCount>();

/** Counts the images of a history. */
class ImageCount implements HistoryReader<ImageCount> {
  count: number;

  constructor(count: number) {
    this.count = count;
  }

  add(message: Message): void {
    this.count += imagesIn(message);
  }

  fork(): ImageCount {
    return new ImageCount(this.count);
  }
}

/** The number of images of a message that can be sent. */
function imagesIn({ content }: Message): number {
  return content.filter(isSent).length;
}

function isSent(part: ContentPart): boolean {
  return part.type === 'image' && imageSource(part).type !== 'unsupported';
}
