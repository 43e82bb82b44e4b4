import { textBoundary, withoutControls } from '@palimpsest/events';

/** A line that is longer is handed on in parts. Unit: characters. */
const longestLine = 65_536;
/** The length of an unfinished line that waits for the end of an escape sequence. Unit: characters. */
const longestSequence = 256;
/** A line with a greater share of them is no text. */
const binaryShare = 0.3;
/** As many are needed for that. Unit: characters. */
const leastBinary = 8;

/** A text without any of these is handed on as it is. */
const special = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/;
/** Characters that no text holds and no terminal obeys. */
const noText = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g;
/**
 * Colours and moves (CSI), titles and links (OSC) and other strings, which end with their line at the latest, and short
 * sequences. No part can match what another begins with, so that the time is linear.
 */
const sequences =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-OQ-WYZ`-~]?)|\u009b[0-?]*[ -/]*[@-~]?/g;

/**
 * A converter of a terminal's output to the text that a reader sees. It removes colours and other escape sequences. Of
 * a line that a progress bar writes again and again, it keeps the last state. Lines that are no text are replaced by
 * their length.
 */
export class PlainText {
  readonly #emit: (text: string) => void;
  #line = '';
  /** Unit: characters. */
  #binary = 0;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  write(text: string): void {
    const all = this.#line + text;
    const end = all.lastIndexOf('\n') + 1;
    this.#line = all.slice(end);
    if (end > 0) this.#lines(all.slice(0, end));
    if (this.#line.length <= longestLine) return;
    const open = this.#line.lastIndexOf('\u001b');
    // A carriage return at the end may belong to a line end, and half of a character waits for the other.
    const cut = open > this.#line.length - longestSequence ? open : textBoundary(this.#line, this.#line.length - 1);
    this.#lines(this.#line.slice(0, cut));
    this.#line = this.#line.slice(cut);
  }

  end(): void {
    this.#lines(this.#line);
    this.#line = '';
    this.#tellBinary();
  }

  #lines(text: string): void {
    if (!special.test(text)) return this.#text(text);
    let plain = '';
    for (const line of text.split(/(?<=\n)/)) {
      const strange = line.match(noText)?.length ?? 0;
      if (strange >= leastBinary && strange > line.length * binaryShare) {
        this.#text(plain);
        plain = '';
        this.#binary += line.length;
      } else plain += plainLine(line);
    }
    this.#text(plain);
  }

  #text(text: string): void {
    if (text === '') return;
    this.#tellBinary();
    this.#emit(text);
  }

  #tellBinary(): void {
    if (this.#binary === 0) return;
    this.#emit(`[… ${this.#binary} characters that are no text …]\n`);
    this.#binary = 0;
  }
}

/** @param line - with its end, if it has one */
function plainLine(line: string): string {
  const end = line.endsWith('\n') ? '\n' : '';
  const shown = line
    .slice(0, line.length - end.length)
    .replace(sequences, '')
    .replace(/\r+$/, '');
  const last = shown.slice(shown.lastIndexOf('\r') + 1);
  // Lists of names, as `find -print0` writes them.
  return withoutControls(withoutBackspaces(last).replaceAll('\0', '\n')) + end;
}

/** Manuals print bold letters as a letter, a backspace and the letter again. */
function withoutBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
