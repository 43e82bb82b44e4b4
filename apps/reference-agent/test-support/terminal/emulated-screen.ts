import xterm from '@xterm/headless';
import type { IBufferCell, IBufferLine } from '@xterm/headless';

/** The output of a program, as a terminal shows it: xterm.js without a window. */
export interface EmulatedScreen {
  readonly columns: number;
  readonly rows: number;
  /** Resolves when the terminal has read the text. */
  write(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The lines that are seen, without blanks at their ends. Within a synchronized update: those from before it. */
  screen(): readonly string[];
  /** The lines above those that are seen, the oldest first. A line that the terminal wrapped is one. */
  scrollback(): readonly string[];
  /** All lines, those above and those that are seen, as one text. */
  text(): string;
  /** The cells that are seen. */
  cells(): readonly (readonly Cell[])[];
  /** The synchronized updates so far: each is what a reader saw at its end. */
  readonly frames: readonly Frame[];
  /** What was asked of the terminal besides text: `title …`, `clipboard …`, `bell`, `notification …`, `alternate screen`, `mouse`. */
  readonly effects: readonly string[];
  /** The modes that are not as a shell needs them. */
  modesLeft(): readonly string[];
  readonly isPasteBracketed: boolean;
  /** Called with what the terminal answers to a program's questions. */
  onAnswer(listener: (text: string) => void): void;
}

/** A place of the screen. */
export interface Cell {
  readonly text: string;
  /** 2 for wide characters, 0 for the place behind one. Unit: columns. */
  readonly width: number;
  /** A number of the palette, `#rrggbb`, or undefined for the terminal's own. */
  readonly foreground: number | string | undefined;
  readonly background: number | string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruckThrough: boolean;
  readonly isInverse: boolean;
}

/** The screen at the end of a synchronized update. */
export interface Frame {
  readonly lines: readonly string[];
  /** The numbers of the lines that did not fit, so the terminal wrapped them. */
  readonly wrapped: readonly number[];
  /** Text was painted since the frame before, outside of a synchronized update. */
  readonly hasStrayText: boolean;
}

/** Commands of a terminal's operating system (OSC) that reach beyond the window's text. */
const systemCommands: Readonly<Record<number, string>> = {
  0: 'title',
  1: 'title',
  2: 'title',
  4: 'palette',
  7: 'folder',
  9: 'notification',
  10: 'colour',
  11: 'colour',
  12: 'colour',
  52: 'clipboard',
  99: 'notification',
  133: 'prompt mark',
  777: 'notification',
  1337: 'file',
};
/** Of no effect beyond the window's text: wrapping, the cursor, pastes, the wheel, updates. */
const usualModes: readonly number[] = [7, 25, 1007, 2004, 2026];
const alternateScreen: readonly number[] = [47, 1047, 1049];

/**
 * Returns a terminal of this size, with a long history. It wraps what does not fit, also for a program that has asked
 * it not to: what would be cut off there is found.
 */
export function emulatedScreen(columns: number, rows: number): EmulatedScreen {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  const frames: Frame[] = [];
  const effects: string[] = [];
  let isCursorHidden = false;
  let isWrapping = true;
  let isSynchronized = false;
  let keyboardProtocols = 0;
  let otherKeys = 0;
  /** What is seen while an update goes on. */
  let before: readonly string[] = [];
  /** What the last update left; undefined where the terminal itself moved the lines. */
  let painted: string | undefined;

  const seen = (): readonly IBufferLine[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row)).filter(
      (line) => line !== undefined,
    );
  };
  const seenLines = () => seen().map((line) => line.translateToString(true));

  const setModes = (numbers: readonly (number | number[])[], isOn: boolean): boolean => {
    for (const mode of numbers.flat()) {
      if (mode === 7) isWrapping = isOn;
      if (mode === 25) isCursorHidden = !isOn;
      if (mode === 2026 && isOn && !isSynchronized) {
        isSynchronized = true;
        before = seenLines();
      }
      if (mode === 2026 && !isOn && isSynchronized) {
        isSynchronized = false;
        const now = seenLines();
        const wrapped = seen().flatMap((line, row) => (line.isWrapped ? [row] : []));
        frames.push({ lines: now, wrapped, hasStrayText: painted !== undefined && painted !== before.join('\n') });
        painted = now.join('\n');
      }
      if (alternateScreen.includes(mode)) {
        if (isOn) effects.push('alternate screen');
        painted = undefined;
      }
      if ([9, 1000, 1002, 1003].includes(mode) && isOn) effects.push('mouse');
      else if (!usualModes.includes(mode) && !alternateScreen.includes(mode))
        effects.push(`mode ${mode} ${isOn ? 'on' : 'off'}`);
    }
    return numbers.length === 1 && numbers[0] === 7;
  };
  const { parser } = terminal;
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => setModes(modes, true));
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, (modes) => setModes(modes, false));
  // Keyboard protocols: kitty's is pushed and popped, xterm's `modifyOtherKeys` is set.
  parser.registerCsiHandler({ prefix: '>', final: 'u' }, () => ((keyboardProtocols += 1), false));
  parser.registerCsiHandler({ prefix: '<', final: 'u' }, () => ((keyboardProtocols -= 1), false));
  parser.registerCsiHandler({ prefix: '>', final: 'm' }, ([what, value]) => {
    if (what === 4) otherKeys = typeof value === 'number' && value > 0 ? value : 0;
    return false;
  });
  for (const [number, name] of Object.entries(systemCommands)) {
    parser.registerOscHandler(Number(number), (data) => (effects.push(`${name} ${data}`), false));
  }
  terminal.onBell(() => effects.push('bell'));

  const scrollback = () => {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.baseY; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`);
      else lines.push(text);
    }
    return lines;
  };
  const screen = () => (isSynchronized ? before : seenLines());

  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: (toColumns, toRows) => {
      terminal.resize(toColumns, toRows);
      painted = undefined;
    },
    screen,
    scrollback,
    text: () => [...scrollback(), ...screen()].join('\n'),
    cells: () =>
      seen().map((line) => Array.from({ length: terminal.cols }, (_, column) => cellOf(line.getCell(column)))),
    frames,
    effects,
    modesLeft: () => {
      const { modes } = terminal;
      return [
        ...(isCursorHidden ? ['cursor hidden'] : []),
        ...(isSynchronized ? ['synchronized update'] : []),
        ...(keyboardProtocols === 0 ? [] : [`${keyboardProtocols} keyboard protocols`]),
        ...(otherKeys === 0 ? [] : ['modifyOtherKeys']),
        ...(modes.bracketedPasteMode ? ['bracketed paste'] : []),
        ...(modes.applicationCursorKeysMode ? ['application cursor keys'] : []),
        ...(modes.applicationKeypadMode ? ['application keypad'] : []),
        ...(modes.mouseTrackingMode === 'none' ? [] : ['mouse']),
        ...(modes.sendFocusMode ? ['focus'] : []),
        ...(modes.insertMode ? ['insert'] : []),
        ...(modes.originMode ? ['origin'] : []),
        ...(isWrapping ? [] : ['no wraparound']),
        ...(terminal.buffer.active.type === 'normal' ? [] : ['alternate screen']),
      ];
    },
    get isPasteBracketed() {
      return terminal.modes.bracketedPasteMode;
    },
    onAnswer: (listener) => void terminal.onData(listener),
  };
}

function cellOf(cell: IBufferCell | undefined): Cell {
  const colour = (isRgb: boolean, isPalette: boolean, value: number) =>
    isRgb ? `#${value.toString(16).padStart(6, '0')}` : isPalette ? value : undefined;
  return {
    text: cell?.getChars() ?? '',
    width: cell?.getWidth() ?? 1,
    foreground: cell && colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()),
    background: cell && colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()),
    isBold: Boolean(cell?.isBold()),
    isDim: Boolean(cell?.isDim()),
    isItalic: Boolean(cell?.isItalic()),
    isUnderlined: Boolean(cell?.isUnderline()),
    isStruckThrough: Boolean(cell?.isStrikethrough()),
    isInverse: Boolean(cell?.isInverse()),
  };
}
