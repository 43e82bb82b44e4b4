import { sliceText } from '@palimpsest/events';

const ourTags =
  /<(?=\/?(?:REPOSITORY_INFO|REPOSITORY_INSTRUCTIONS|RUNTIME_INFORMATION|CONVERSATION_INSTRUCTIONS|EXTRA_INFO|SKILLS|SKILL)\b)/gi;

/** Breaks the tags of our sections inside a text, so that a document cannot close its section and open another. */
export function withoutOurTags(text: string): string {
  return text.replace(ourTags, '< ');
}

/**
 * Control and format characters, without the ends of lines, tabs and the joiners of scripts and emoji. A person who looks at
 * a file does not see them, and a model reads them: a file could say one thing to the one and another to the other.
 */
const invisible = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** Returns a text as a person sees it: Windows ends of lines are `\n`, and characters that nobody sees are left out. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(invisible, '');
}

/**
 * Returns a name or a description from elsewhere on one line: visible, without our tags, cut at a length (unit:
 * characters).
 */
export function untrustedLine(text: string, maxCharacters: number): string {
  // White space first: some of it are control characters.
  const line = withoutOurTags(text.replace(/\s+/g, ' ').replace(invisible, '')).trim();
  return line.length > maxCharacters ? `${sliceText(line, 0, maxCharacters - 1)}…` : line;
}
