import { readResponsesItem } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import { recordMessage } from '../record-message.js';
import type { ResponseDraft } from '../response-draft.js';
import type { Entry } from '../entry.js';
import type { SessionRecorder } from '../session-recorder.js';

const compactions: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/**
 * Reads the items of the OpenAI Responses API from rollouts and request inputs. Items have no response id, so consecutive
 * items of the model form one response.
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

  /** The latest response. A log reports its usage after it. */
  get latest(): ResponseDraft | undefined {
    return this.#latest;
  }

  /** Ends the current response. The next item of the model starts a new response. */
  endResponse(): void {
    this.#open = undefined;
  }

  read(item: JsonObject, entry: Entry): void {
    if (compactions.has(item['type'])) {
      this.endResponse();
      this.#recorder.compaction(entry, {});
      return;
    }
    const message = readResponsesItem(item);
    const place = { entry, recorder: this.#recorder, notes: this.#notes, sourceOf: this.#sourceOf };
    if (message.role === 'assistant') {
      this.#open ??= this.#latest = this.#recorder.response(entry);
      recordMessage(message, { ...place, response: this.#open });
    } else {
      if (message.role !== undefined) this.endResponse();
      recordMessage(message, place);
    }
  }
}

/** True for a type of item that only the Responses API has. */
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
