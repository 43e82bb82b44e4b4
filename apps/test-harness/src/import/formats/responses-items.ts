import type { ReasoningItem } from '@palimpsest/events';
import { contentParts } from '../content-parts.js';
import { argumentsText, isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import type { ResponseDraft } from '../response-draft.js';
import type { Entry, SessionRecorder } from '../session-recorder.js';

/**
 * Reads the items of the OpenAI Responses API, as rollouts and request inputs hold them. Items carry no response id, so a
 * response is the run of the model's items between two that are not its own.
 */
export class ResponsesItems {
  readonly #recorder: SessionRecorder;
  readonly #notes: NoteTaker;
  readonly #sourceOf: (text: string) => 'user' | 'environment';
  #open: ResponseDraft | undefined;
  #latest: ResponseDraft | undefined;

  constructor(options: {
    readonly recorder: SessionRecorder;
    readonly notes: NoteTaker;
    readonly sourceOf: (text: string) => 'user' | 'environment';
  }) {
    this.#recorder = options.recorder;
    this.#notes = options.notes;
    this.#sourceOf = options.sourceOf;
  }

  /** The response that was read last, for the usage that a log reports after it. */
  get latest(): ResponseDraft | undefined {
    return this.#latest;
  }

  /** Ends the response that is being read: the model's next item belongs to another. */
  endResponse(): void {
    this.#open = undefined;
  }

  read(item: JsonObject, entry: Entry): void {
    const type = textOf(item['type']) ?? (textOf(item['role']) === undefined ? undefined : 'message');
    switch (type) {
      case undefined:
        this.#notes.add('unknown-line-type', 'something that is no item was left out', entry.line);
        return;
      case 'message':
        this.#message(item, entry);
        return;
      case 'reasoning':
        this.#reasoning(item, entry);
        return;
      case 'function_call':
        this.#call(item, entry, { name: textOf(item['name']), input: item['arguments'] });
        return;
      case 'custom_tool_call':
        this.#call(item, entry, { name: textOf(item['name']), input: customInput(item['input']) });
        return;
      case 'compaction':
      case 'compaction_summary':
      case 'context_compaction':
        this.endResponse();
        this.#recorder.compaction(entry, {});
        return;
    }
    if (type.endsWith('_output') || type === 'function_call_result') this.#output(item, entry);
    else if (type.endsWith('_call') && callIdOf(item) !== undefined) this.#ownToolCall(type, item, entry);
    else this.#unsupported(type, entry);
  }

  #message(item: JsonObject, entry: Entry): void {
    const content = contentParts(item['content'], (type) =>
      this.#notes.add('unsupported-content', `content of type '${type}' was kept as text`, entry.line),
    );
    if (item['role'] === 'assistant') {
      this.#response(entry).thought.push(...content);
      return;
    }
    this.endResponse();
    const firstText = content.find((part) => part.type === 'text');
    if (item['role'] === 'user') this.#recorder.message(entry, content, this.#sourceOf(firstText?.text ?? ''));
    else this.#recorder.instructions(entry, content);
  }

  #reasoning(item: JsonObject, entry: Entry): void {
    const response = this.#response(entry);
    const reasoning = reasoningItem(item);
    if (reasoning === undefined) {
      this.#notes.add('reasoning', 'reasoning of which the log kept nothing was left out', entry.line);
    } else {
      response.addReasoning(reasoning);
    }
  }

  #call(item: JsonObject, entry: Entry, call: { readonly name: string | undefined; readonly input: unknown }): void {
    this.#recorder.call(this.#response(entry), entry, {
      id: callIdOf(item) ?? `call-of-${entry.id}`,
      name: call.name ?? 'unknown',
      input: call.input,
      itemId: textOf(item['id']),
    });
  }

  /** A tool with an item type of its own (a shell, a computer): the type is its name, and its fields are its input. */
  #ownToolCall(type: string, item: JsonObject, entry: Entry): void {
    const { type: _type, id: _id, call_id: _callId, callId: _camelCallId, status: _status, ...input } = item;
    this.#call(item, entry, { name: type.slice(0, -'_call'.length), input });
  }

  #output(item: JsonObject, entry: Entry): void {
    this.endResponse();
    this.#recorder.result(entry, {
      callId: callIdOf(item),
      content: contentParts(item['output'], (type) =>
        this.#notes.add('unsupported-content', `a result of type '${type}' was kept as text`, entry.line),
      ),
    });
  }

  #unsupported(type: string, entry: Entry): void {
    // A tool that the provider runs itself has no result here, but it is a part of the response it stands in.
    if (type.endsWith('_call')) this.#response(entry);
    this.#notes.add('unsupported-content', `items of type '${type}' have no form here and were left out`, entry.line);
  }

  #response(entry: Entry): ResponseDraft {
    this.#open ??= this.#latest = this.#recorder.response(entry);
    return this.#open;
  }
}

/** True for something that only the Responses API calls an item. */
export function isResponsesItem(value: unknown): boolean {
  if (!isObject(value)) return false;
  const type = textOf(value['type']);
  if (type === 'message') {
    return listOf(value['content']).some((part) =>
      /^(?:input|output)_(?:text|image|file)$/.test(String(objectOf(part)['type'])),
    );
  }
  if (type === 'reasoning') return Array.isArray(value['summary']);
  return (
    type !== undefined &&
    /_call(?:_output|_result)?$/.test(type) &&
    (callIdOf(value) ?? textOf(value['id'])) !== undefined
  );
}

function callIdOf(item: JsonObject): string | undefined {
  return textOf(item['call_id']) ?? textOf(item['callId']);
}

/** A custom tool takes plain text. Arguments are JSON everywhere here, so the text becomes the field `input`. */
function customInput(input: unknown): string {
  const text = typeof input === 'string' ? input : argumentsText(input);
  try {
    if (isObject(JSON.parse(text))) return text;
  } catch {
    // Plain text is the rule.
  }
  return JSON.stringify({ input: text });
}

function reasoningItem(item: JsonObject): ReasoningItem | undefined {
  const summary = texts(item['summary']);
  const content = texts(item['content']);
  const encryptedContent = textOf(item['encrypted_content']);
  const id = textOf(item['id']);
  if (summary.length === 0 && content.length === 0 && encryptedContent === undefined) return undefined;
  return { id, summary, ...(content.length === 0 ? {} : { content }), encryptedContent };
}

function texts(parts: unknown): string[] {
  return listOf(parts).flatMap((part) => textOf(part) ?? textOf(objectOf(part)['text']) ?? []);
}
