/** What of a key or a value is kept: an id is short. Unit: bytes. */
const longest = 200;
const [quote, backslash, colon, comma] = [34, 92, 58, 44];

/** Finds the id of a JSON-RPC message that is too long to be held, in whatever pieces it comes. */
export class MessageId {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #token = '';
  #key = '';
  #id: unknown;

  /** Undefined if the message has none, or none that is whole. */
  get id(): unknown {
    return this.#id;
  }

  write(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isInString) this.#inString(byte);
      else if (byte === quote) {
        this.#isInString = true;
        this.#keep(byte);
      } else if (byte === 123 || byte === 91) this.#depth++;
      else if (byte === 125 || byte === 93) {
        if (this.#depth === 1) this.#endValue();
        this.#depth--;
      } else if (this.#depth === 1 && byte === colon) {
        this.#key = this.#token.trim();
        this.#token = '';
      } else if (this.#depth === 1 && byte === comma) this.#endValue();
      else this.#keep(byte);
    }
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
    this.#keep(byte);
  }

  /** Of the outermost object alone. */
  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length < longest) this.#token += String.fromCharCode(byte);
  }

  #endValue(): void {
    if (this.#key === '"id"') this.#id = valueOf(this.#token);
    this.#key = this.#token = '';
  }
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
