import type { ToolDefinition } from '@palimpsest/events';
import { openaiUsage, readChatMessage } from '@palimpsest/llm-adapters/wire';
import { isObject, objectOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { recordMessage } from '../record-message.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';
import { toolDefinitions } from '../tool-definitions.js';

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** How a result begins that an agent without native tools puts into the user's place. */
const observationText = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>|<tool_response>)/;

/** True for a message of the OpenAI Chat Completions API. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    roles.has(value['role']) &&
    ('content' in value || 'tool_calls' in value || 'function_call' in value || 'refusal' in value)
  );
}

/** Reads chat messages, each of which is its own event or response. Unused keys may be there as `null`. */
export class ChatMessages {
  readonly #notes: NoteTaker;
  readonly #recorder: SessionRecorder;
  readonly #tools: readonly ToolDefinition[];
  #index = 0;

  constructor(notes: NoteTaker, options: { readonly tools?: unknown } = {}) {
    this.#notes = notes;
    this.#recorder = new SessionRecorder(notes);
    this.#tools = toolDefinitions(options.tools, notes);
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  read(message: JsonObject, line?: number): void {
    const index = this.#index++;
    const extra = objectOf(message['extra']);
    const entry: Entry = {
      id: line === undefined ? `message-${index}` : `line-${line}`,
      line,
      timestamp: message['timestamp'] ?? extra['timestamp'],
    };
    const read = readChatMessage(message);
    // Tools belong to the system prompt; where the log has tools and no prompt, they stand in an empty one.
    if (index === 0 && read.role !== 'system' && this.#tools.length > 0)
      this.#recorder.systemPrompt({ ...entry, id: `${entry.id}-tools` }, '', this.#tools);
    const response = recordMessage(read, {
      entry,
      recorder: this.#recorder,
      notes: this.#notes,
      sourceOf: (text) => (observationText.test(text) ? 'environment' : 'user'),
      ...(index === 0 ? { tools: this.#tools } : {}),
    });
    const raw = objectOf(extra['response']);
    const usage = openaiUsage(message['usage'] ?? raw['usage'])?.usage;
    response?.count(entry, message['model'] ?? raw['model'], usage);
  }
}
