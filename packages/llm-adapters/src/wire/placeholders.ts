// Words of ours that stand in a request where a provider refuses nothing at all. Each is the same in every request, so that
// a longer request extends a shorter one.

/** The first message, where the history does not start with the user (Anthropic: rule A2; both refuse no message at all). */
export const startOfConversation = '(The conversation starts here.)';

/** The last message, where the history ends with the model (Anthropic: rule A11). */
export const pleaseGoOn = '(Please go on.)';

/** The words of a model's turn that consists of thinking alone: Anthropic refuses a turn that ends in a thinking block. */
export const noWords = '(No words.)';

/** The content of an error result without content: Anthropic refuses `is_error` without content. */
export const failedSilently = '(The tool failed and said nothing.)';

/** Stands where an image cannot be sent. */
export function imageNotShown(reason: string): string {
  return `(An image is not shown here: ${reason}.)`;
}
