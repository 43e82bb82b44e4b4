import { field, isRecord } from '@palimpsest/messages';

/**
 * Reads the usage of an answer from a copy of its bytes, however they are split. It understands one JSON body and events of a stream, of all
 * three APIs.
 */
export class UsageReader {
  readonly #decoder = new TextDecoder();
  readonly #isStream: boolean;
  #rest = '';
  #usage: Record<string, unknown> | undefined;

  constructor(contentType: string) {
    this.#isStream = contentType.includes('text/event-stream');
  }

  /** Takes the next bytes of the answer. */
  read(bytes: Uint8Array): void {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    if (!this.#isStream) return;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line);
  }

  /** Returns the usage as the provider wrote it, once all bytes are read. Undefined if there is none. */
  end(): unknown {
    if (this.#isStream) this.#readLine(this.#rest);
    else this.#add(parsed(this.#rest));
    this.#rest = '';
    return this.#usage;
  }

  #readLine(line: string): void {
    if (line.startsWith('data:') && line.includes('"usage"')) this.#add(parsed(line.slice('data:'.length)));
  }

  /** A stream of Messages counts twice: what was read when it begins, what was written when it ends. */
  #add(event: unknown): void {
    const usage =
      field(event, 'usage') ?? field(field(event, 'message'), 'usage') ?? field(field(event, 'response'), 'usage');
    if (!isRecord(usage)) return;
    const counted = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(counted) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
