import type { QueuedMessage } from '../session/session-events.js';
import { cutLine, harmlessLine } from './shown-width.js';
import type { Styles } from './styles.js';

/** More messages are counted. */
const maxShown = 3;

/** The messages that were not sent yet, one in a line. Unit of `width`: columns. */
export function queueLines(queue: readonly QueuedMessage[], width: number, { colours }: Styles): readonly string[] {
  const { dim } = colours;
  const shown = queue
    .slice(0, maxShown)
    .map(({ text }) => dim(cutLine(` » queued: ${harmlessLine(text.slice(0, 500))}`, width)));
  const more = queue.length - shown.length;
  return more > 0 ? [...shown, dim(cutLine(` » and ${more} more`, width))] : shown;
}
