import { receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { KnownContent } from '@palimpsest/events';
import type { ResponseDraft } from './drafts.js';
import { isObject, listOf, objectOf, textOf } from './json.js';
import type { JsonObject } from './json.js';
import { madeCallId } from './recorder.js';
import type { SessionRecorder } from './recorder.js';
import type { Entry } from './session.js';

/** Returns a field of an object of Google's, whose serialisers write `functionCall` or `function_call`. */
export function googleField(object: JsonObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/**
 * Reads the parts of Gemini contents: text, thoughts, calls, results, images. Calls need not have ids: a result without one
 * answers the oldest open call of its name.
 *
 * @see https://ai.google.dev/api/caching#Part
 */
export class GeminiContents {
  readonly #recorder: SessionRecorder;
  /** By the name of the tool: the ids of the calls without a result, in order. */
  readonly #open = new Map<string, string[]>();
  readonly #called = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
  }

  /** Returns true if a part is a call, or the result of a call, that was read before. */
  isKnown(part: JsonObject): boolean {
    const call = textOf(objectOf(googleField(part, 'functionCall'))['id']);
    const result = textOf(objectOf(googleField(part, 'functionResponse'))['id']);
    return (call !== undefined && this.#called.has(call)) || (result !== undefined && this.#answered.has(result));
  }

  /** Adds parts that the model wrote to a reply. */
  answer(response: ResponseDraft, entry: Entry, parts: readonly JsonObject[]): void {
    for (const part of parts) {
      const call = googleField(part, 'functionCall');
      const text = textOf(part['text']);
      const signature = textOf(googleField(part, 'thoughtSignature'));
      if (isObject(call)) {
        if (signature !== undefined)
          response.add({ type: 'thinking', block: { type: 'thinking', thinking: '', signature }, isOnCall: true });
        this.call(response, entry, call);
      } else if (part['thought'] === true) {
        if (text !== undefined) response.add({ type: 'reasoning-text', text });
      } else {
        response.say(this.#content(entry, part));
      }
    }
  }

  /** Adds a call to a reply: `{ id?, name, args }`. Returns its id. */
  call(response: ResponseDraft, entry: Entry, call: JsonObject): string {
    const name = textOf(call['name']);
    const id = textOf(call['id']) ?? madeCallId(entry, response);
    this.#recorder.call(response, entry, { id, name, arguments: receivedArguments(call['args']) });
    this.#called.add(id);
    this.#open.set(name ?? '', [...(this.#open.get(name ?? '') ?? []), id]);
    return id;
  }

  /** Adds parts in the place of the user: results, each an event, and a message of the other parts. */
  user(
    entry: Entry,
    parts: readonly JsonObject[],
    sourceOf: (text: string) => 'user' | 'environment' = () => 'user',
  ): void {
    const results = parts.filter((part) => isObject(googleField(part, 'functionResponse')));
    for (const part of results) this.result(entry, objectOf(googleField(part, 'functionResponse')));
    const content = parts.filter((part) => !results.includes(part)).flatMap((part) => this.#content(entry, part));
    if (content.length === 0 && results.length > 0) return;
    const first = content.find((part) => part.type === 'text');
    this.#recorder.message(entry, content, sourceOf(first?.text ?? ''));
  }

  /** Adds a result: `{ id?, name, response, parts? }`. */
  result(entry: Entry, result: JsonObject, more: { isError?: boolean; parts?: readonly JsonObject[] } = {}): void {
    const name = textOf(result['name']) ?? '';
    const open = this.#open.get(name) ?? [];
    const callId = textOf(result['id']) ?? open[0];
    this.#open.set(
      name,
      open.filter((id) => id !== callId),
    );
    if (callId !== undefined) this.#answered.add(callId);
    const { content, isError } = resultOf(result['response']);
    const parts = [...listOf(result['parts']).map(objectOf), ...(more.parts ?? [])];
    this.#recorder.result(entry, {
      callId,
      toolName: textOf(name),
      content: [...this.#recorder.parts(entry, content), ...parts.flatMap((part) => this.#content(entry, part))],
      isError: isError || more.isError === true,
    });
  }

  #content(entry: Entry, part: JsonObject): readonly KnownContent[] {
    if (typeof part['text'] === 'string') return this.#recorder.parts(entry, part['text']);
    const data = objectOf(googleField(part, 'inlineData') ?? googleField(part, 'fileData'));
    const mediaType = googleField(data, 'mimeType');
    if (typeof mediaType === 'string')
      return this.#recorder.parts(entry, [
        { type: 'file', mediaType, data: data['data'] ?? googleField(data, 'fileUri') },
      ]);
    const code = objectOf(googleField(part, 'executableCode'))['code'];
    const output = objectOf(googleField(part, 'codeExecutionResult'))['output'];
    const type = Object.keys(part).join();
    this.#recorder.unread(entry, [
      { type: 'unread', path: 'parts', reason: `no part has the fields '${type}'`, value: part },
    ]);
    return this.#recorder.parts(entry, textOf(code) ?? textOf(output));
  }
}

/** Keys under which tools return their only value. */
const onlyKeys: ReadonlySet<string | undefined> = new Set(['output', 'result', 'error']);

/** Returns what the model reads of a tool's response. A response of MCP holds parts. */
function resultOf(response: unknown): { readonly content: unknown; readonly isError: boolean } {
  if (!isObject(response)) return { content: textIn(response), isError: false };
  const { content, error } = response;
  const isError =
    (error !== undefined && error !== null && error !== false && error !== '') || response['isError'] === true;
  if (Array.isArray(content) && content.every((part) => textOf(objectOf(part)['type']) !== undefined))
    return { content, isError };
  const [key, ...others] = Object.keys(response);
  const isOnly = others.length === 0 && onlyKeys.has(key);
  return { content: textIn(isOnly && key !== undefined ? response[key] : response), isError };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
