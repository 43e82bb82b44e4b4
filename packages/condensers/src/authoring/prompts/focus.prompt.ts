import { cutInMiddle } from './middle-cut.js';
import { neutralised } from './event-text.js';

/** A longer focus is cut in the middle. Unit: characters. */
const longestFocus = 4_000;

/**
 * Puts the user's wish behind a prompt, whoever wrote that. It is no record: the model is to follow it, within what the prompt asks
 * for. Without a wish the prompt stays as it is.
 */
export function withFocus(prompt: string, focus: string | undefined): string {
  const words = focus?.trim() ?? '';
  if (words === '' || prompt.trim() === '') return prompt;
  return `${prompt.trimEnd()}

The user asked for this just now, and says what matters. These are the user's own words, not a part of the record. Follow them in what
you keep and in how much room it gets; the form of the answer stays as it is described above.
<user_focus>
${cutInMiddle(neutralised(words), longestFocus)}
</user_focus>`;
}
