import type { ToolResultEvent } from '@palimpsest/events';

/** Words that agents put in the place of a file that they believe to stand in the conversation already: Qwen Code, Claude Code. */
const words = /\bunchanged since (?:the |your )?last read\b/i;
/** Such an answer is shorter. Unit: characters. */
const mostCharacters = 1_000;

/** Returns true for a result that brings no text but says that the conversation holds it: what an agent answers that knows nothing of condensations. */
export function isReference(event: ToolResultEvent): boolean {
  if (event.type !== 'observation') return false;
  const texts = event.content.map((part) => (part.type === 'text' ? part.text : ''));
  return texts.reduce((sum, { length }) => sum + length, 0) <= mostCharacters && texts.some((text) => words.test(text));
}
