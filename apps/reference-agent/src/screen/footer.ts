import { columnsOf, cutLine } from './shown-width.js';
import type { Styles } from './styles.js';

/** What decides which keys are useful. */
export interface Situation {
  /** Ctrl-C was pressed, and the next one leaves. */
  readonly isLeaving: boolean;
  /** An item of the transcript is in focus. */
  readonly isFocused: boolean;
  readonly isAtEnd: boolean;
  readonly isWorking: boolean;
  /** A call waits, and what is typed is not taken for an answer. */
  readonly isTyping: boolean;
  readonly hasQueue: boolean;
}

/** The keys that are useful now, in one line: as many as fit, the most useful first. Unit of `width`: columns. */
export function footer(situation: Situation, width: number, { colours }: Styles): string {
  const { dim, bold, yellow } = colours;
  if (situation.isLeaving) return yellow(cutLine(' Ctrl-C again leaves; any other key stays', width));
  if (situation.isTyping)
    return bold(cutLine(' a call waits for your yes: stop typing for a second to answer it', width));
  let line = '';
  for (const hint of hintsOf(situation)) {
    const longer = line === '' ? ` ${hint}` : `${line} · ${hint}`;
    if (columnsOf(longer) > width) break;
    line = longer;
  }
  return dim(line);
}

function hintsOf({ isFocused, isAtEnd, isWorking, hasQueue }: Situation): readonly string[] {
  if (isFocused) return ['Ctrl-O opens or closes', 'Alt-↑↓ next item', 'Alt-O all', 'Esc back to the input'];
  return [
    ...(isAtEnd ? [] : ['▼ more below: End or Esc']),
    ...(isWorking ? ['Esc interrupts', 'Enter queues a message'] : ['/ commands', '@ files']),
    ...(hasQueue ? ['↑ takes the queue back'] : []),
    'Ctrl-O opens the last item',
    'Alt-↑↓ picks one',
    'PgUp scrolls',
    'Shift-Enter new line',
    ...(isWorking ? [] : ['Ctrl-D leaves']),
  ];
}
