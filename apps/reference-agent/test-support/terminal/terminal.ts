import { closeSync, constants, openSync, write } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { fileURLToPath } from 'node:url';
import type { IPty } from '@lydell/node-pty';
import { emulatedScreen } from './emulated-screen.js';
import type { EmulatedScreen } from './emulated-screen.js';
import { bytesOfKey } from './keys.js';
import type { Key } from './keys.js';

/** The built command. */
export const palimpsest = [process.execPath, fileURLToPath(new URL('../../dist/cli.js', import.meta.url))] as const;

/** The options of starting a program in a terminal. */
export interface TerminalOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** All of its environment, besides what the terminal itself sets (`TERM`, `COLORTERM`, `LANG`). */
  readonly env: Readonly<Record<string, string>>;
  /** @defaultValue 100 */
  readonly columns?: number;
  /** @defaultValue 30 */
  readonly rows?: number;
}

/** A program in a pseudo-terminal: keys go in, and what a reader would see comes out. */
export interface Terminal extends Omit<EmulatedScreen, 'write' | 'onAnswer'> {
  readonly pid: number;
  /** What the program has written so far, with its escapes. */
  output(): string;
  type(text: string): void;
  press(...keys: readonly Key[]): void;
  /** Pastes the text as it is: in brackets if the program has asked for them. */
  paste(text: string): void;
  /**
   * Resolves when the screen holds the text, or when the condition is true, which is asked after everything that the terminal has read.
   *
   * @throws if the program ends before, or after a minute: the error shows the screen.
   */
  waitFor(what: string | RegExp | (() => boolean)): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** The terminal goes away, as a window that is closed. */
  hangUp(): void;
  /** Resolves to the exit status, or to the number of the signal, when everything that the program has written is read. */
  readonly ended: Promise<{ readonly status: number; readonly signal: number | undefined }>;
  /** Ends the program, if it runs, and all processes of its session. */
  close(): void;
}

/** Undefined where no binary of node-pty is installed for this system. */
export const pty = await import('@lydell/node-pty').catch(() => undefined);

const waitLimitMs = 60_000;

/** Stands behind all that the program has written. */
const endMark = '\0the program has ended\0';

/** What node-pty has besides its interface. */
interface Inside {
  /** The device that the program has open. */
  readonly _pty: string;
  readonly _socket: ReadStream;
  /** If true, the exit is told at once. If false, it is told when nothing is read any more. */
  _emittedClose: boolean;
  destroy(): void;
}

/** Starts a program in a pseudo-terminal. */
export function openTerminal({ command, cwd, env, columns = 100, rows = 30 }: TerminalOptions): Terminal {
  if (pty === undefined) throw new Error('node-pty has no binary for this system.');
  const [file, ...args] = command;
  const child = pty.spawn(file, args, {
    cwd,
    env: { COLORTERM: 'truecolor', LANG: 'C.UTF-8', ...env },
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
  }) as IPty & Inside;
  // Left to itself, node-pty reads what is there within 200 ms after the exit, and Node the first 4 kB of it: a busy machine would lose
  // last words. So the terminal stays open behind the program, gets a mark there, and is read up to it.
  const device = openSync(child._pty, constants.O_RDWR | constants.O_NOCTTY);
  child._emittedClose = true;
  const emulator = emulatedScreen(columns, rows);
  const output: string[] = [];
  const waiting = new Set<() => void>();
  let unread = Promise.resolve();
  let hasEnded = false;

  const look = () => {
    for (const each of waiting) each();
  };
  emulator.onAnswer((text) => {
    if (!hasEnded) child.write(text);
  });
  const show = (text: string) => {
    output.push(text);
    unread = emulator.write(text).then(look);
  };
  let reading = child.onData(show);
  const ended = new Promise<{ status: number; signal: number | undefined }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      const end = () => {
        child._socket.destroy();
        closeSync(device);
        void unread.then(() => {
          hasEnded = true;
          look();
          resolve({ status: exitCode, signal: signal === 0 ? undefined : signal });
        });
      };
      let rest = '';
      reading.dispose();
      reading = child.onData((text) => {
        rest += text;
        const at = rest.indexOf(endMark);
        if (at === -1) return;
        reading.dispose();
        show(rest.slice(0, at));
        end();
      });
      // A terminal that was hung up takes no mark.
      write(device, endMark, (problem) => problem && end());
    });
  });
  const shown = () => emulator.screen().join('\n').trimEnd();

  return Object.assign(Object.create(emulator) as EmulatedScreen, {
    pid: child.pid,
    output: () => output.join(''),
    type: (text: string) => child.write(text),
    press: (...keys: readonly Key[]) => {
      for (const key of keys) child.write(bytesOfKey(key));
    },
    paste: (text: string) => child.write(emulator.isPasteBracketed ? `\x1b[200~${text}\x1b[201~` : text),
    resize: (toColumns: number, toRows: number) => {
      emulator.resize(toColumns, toRows);
      child.resize(toColumns, toRows);
    },
    waitFor: (what: string | RegExp | (() => boolean)) => {
      const isThere = () =>
        typeof what === 'function' ? what() : typeof what === 'string' ? shown().includes(what) : what.test(shown());
      return new Promise<void>((resolve, reject) => {
        const end = (problem?: string) => {
          waiting.delete(check);
          clearTimeout(limit);
          if (problem === undefined) resolve();
          else reject(new Error(`${problem} ${String(what)}. The screen:\n${shown()}`));
        };
        const check = () => {
          if (isThere()) end();
          else if (hasEnded) end('The program ended before there was');
        };
        const limit = setTimeout(() => end(`After ${waitLimitMs / 1_000} s there is no`), waitLimitMs);
        waiting.add(check);
        check();
      });
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    hangUp: () => child.destroy(),
    ended,
    close: () => {
      if (!hasEnded) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
    },
  });
}
