import { callStart } from './read-calls.js';

/** What can be the beginning of a call, at the end of a text. */
const mayBegin = /(?:<[a-z_]{0,9}|`{1,3}[a-z_]{0,12})$/i;
/** No beginning of a call is longer. Unit: characters. */
const longestBeginning = 16;

/** Hands out the text of a streamed answer up to its first call. What may be a call waits until the answer is complete. */
export class StreamedText {
  #waiting = '';
  #handedOut = 0;
  #hasCall = false;

  /** The text that can be shown now. */
  add(piece: string): string {
    this.#waiting += piece;
    // An answer that is JSON from its beginning may be nothing but a call.
    if (this.#hasCall || (this.#handedOut === 0 && /^\s*(?:[[{]|$)/.test(this.#waiting))) return '';
    const start = callStart.exec(this.#waiting)?.index;
    this.#hasCall = start !== undefined;
    const shown = withoutBeginning(this.#waiting.slice(0, start));
    this.#waiting = this.#waiting.slice(shown.length);
    this.#handedOut += shown.length;
    return shown;
  }

  /** What of the whole text has not been shown. */
  rest(whole: string): string {
    return whole.slice(this.#handedOut);
  }
}

/** Without white space at the end, which is left out before a call. */
function withoutBeginning(text: string): string {
  const trimmed = text.trimEnd();
  const begun = mayBegin.exec(trimmed.slice(-longestBeginning));
  return begun === null ? trimmed : trimmed.slice(0, trimmed.length - begun[0].length).trimEnd();
}
