// Texts that fill places of a request that a provider does not accept empty. Each text is the same in every request, so that a
// longer request extends a shorter one.

/** The first message if the history does not start with the user (Anthropic: rule A2; both providers refuse an empty list). */
export const startOfConversation = '(The conversation starts here.)';

/** The last message if the history ends with the model (Anthropic: rule A11). */
export const pleaseGoOn = '(Please go on.)';

/** The text of an assistant turn that consists only of thinking: Anthropic refuses a turn that ends in a thinking block. */
export const noWords = '(No words.)';

/** The content of an error result without content: Anthropic refuses `is_error` without content. */
export const failedSilently = '(The tool failed and said nothing.)';

/** Replaces an image that cannot be sent. */
export function imageNotShown(reason: string): string {
  return `(An image is not shown here: ${reason}.)`;
}
