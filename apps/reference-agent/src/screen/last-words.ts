import type { Screen } from './screen.js';
import { cutLine, harmlessLine } from './shown-width.js';
import type { Styles } from './styles.js';

/** So many lines of the transcript stay on the terminal. */
const maxLines = 40;

/** What stays on the terminal when the screen is gone: the end of the transcript, and how to go on. Unit of `width`: columns. */
export function lastWords(
  { transcript, sessionId: id }: Screen,
  width: number,
  { colours }: Styles,
): readonly string[] {
  if (id === undefined) return [];
  transcript.leaveFocus();
  const resume = `palimpsest resume ${harmlessLine(id)}`;
  return [
    ...transcript.render(width, maxLines),
    '',
    colours.dim(cutLine(`This session goes on with: ${resume}`, width)),
  ];
}
