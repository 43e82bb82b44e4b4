/** What a terminal sends for a key, in its usual mode. */
const sequences = {
  Enter: '\r',
  Escape: '\x1b',
  Tab: '\t',
  'Shift-Tab': '\x1b[Z',
  Backspace: '\x7f',
  Delete: '\x1b[3~',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  'Page-Up': '\x1b[5~',
  'Page-Down': '\x1b[6~',
  'Alt-Enter': '\x1b\r',
  /** As terminals send it that know `modifyOtherKeys`. */
  'Shift-Enter': '\x1b[27;2;13~',
} as const;

type ControlLetter =
  'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'K' | 'L' | 'N' | 'O' | 'P' | 'R' | 'T' | 'U' | 'W' | 'Y' | 'Z';

/** A key by its name. */
export type Key = keyof typeof sequences | `Ctrl-${ControlLetter}`;

/** Returns the bytes of a key. */
export function bytesOfKey(key: Key): string {
  const control = /^Ctrl-([A-Z])$/.exec(key)?.[1];
  return control === undefined
    ? sequences[key as keyof typeof sequences]
    : String.fromCharCode(control.charCodeAt(0) - 64);
}
