import type { KnownContent } from '@palimpsest/events';
import { imageNotShown } from './placeholders.js';

/** Between the parts of what is one string. */
const partSeparator = '\n\n';

/** Parts as one text; an image is named, with the reason why it is not shown. */
export function textOnly(content: readonly KnownContent[], reason = 'it stands where only text can'): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : imageNotShown(reason)))
    .filter((text) => text.trim() !== '')
    .join(partSeparator);
}
