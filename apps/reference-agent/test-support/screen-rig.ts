import { coloursFor } from '@palimpsest/terminal';
import { InteractiveSession } from '../src/session/interactive-session.js';
import type { SessionEvent, SessionListener } from '../src/session/session-events.js';
import { Screen } from '../src/screen/screen.js';
import type { Figures } from '../src/screen/screen.js';
import { stylesOf } from '../src/screen/layout.js';
import type { Styles } from '../src/screen/layout.js';
import { VirtualTerminal } from './virtual-terminal.js';
// The screen loads it when a condensation is told, and a test may end before that.
import '@palimpsest/view';

/** Styles without colours: what is tested must be said in words. */
export const plainStyles: Styles = stylesOf(coloursFor({ isTTY: false }, {}));
/** Styles as on a terminal with colours. */
export const colouredStyles: Styles = stylesOf(coloursFor({ isTTY: true }, { FORCE_COLOR: '1' }));

/** A screen on a terminal in this process. Its session opens nothing: the test tells what it would tell. */
export interface ScreenRig {
  readonly terminal: VirtualTerminal;
  readonly screen: Screen;
  readonly session: InteractiveSession;
  /** What was typed and sent. */
  readonly submitted: string[];
  tell(...events: readonly SessionEvent[]): void;
}

/** Options of {@link screenRig}. */
export interface ScreenRigOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly styles?: Styles;
  readonly figures?: Figures;
  readonly now?: () => number;
}

/** Opens a screen. */
export function screenRig({
  columns = 80,
  rows = 24,
  styles = plainStyles,
  figures = {},
  now = Date.now,
}: ScreenRigOptions = {}): ScreenRig {
  const listeners: SessionListener[] = [];
  const session = new InteractiveSession({
    flags: { outputFormat: 'text' },
    // Nothing is opened, so nothing of the surroundings is used.
    surroundings: { env: {}, cwd: '/' } as never,
  });
  session.observe = (listener) => {
    listeners.push(listener);
    return () => undefined;
  };
  const terminal = new VirtualTerminal(columns, rows);
  const submitted: string[] = [];
  const screen = new Screen({
    terminal,
    styles,
    session,
    figures: () => figures,
    now,
    submitted: (text) => void submitted.push(text),
  });
  screen.open();
  return {
    terminal,
    screen,
    session,
    submitted,
    tell: (...events) => {
      for (const event of events) for (const listener of listeners) listener(event);
    },
  };
}
