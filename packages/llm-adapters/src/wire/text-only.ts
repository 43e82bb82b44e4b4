import type { KnownContent } from '@palimpsest/events';
import { imageNotShown } from './placeholders.js';

/** The separator between parts that are joined to one string. */
const partSeparator = '\n\n';

/** Joins parts to one text. An image becomes its name and the reason why it is not sent. */
export function textOnly(content: readonly KnownContent[], reason = 'it stands where only text can'): string {
  return content
    .map((part) => (part.type === 'text' ? part.text : imageNotShown(reason)))
    .filter((text) => text.trim() !== '')
    .join(partSeparator);
}
