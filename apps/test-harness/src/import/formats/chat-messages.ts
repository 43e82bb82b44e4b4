import { contentParts, plainText } from '../content-parts.js';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import type { ResponseDraft } from '../response-draft.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../session-recorder.js';
import type { ImportedSession } from '../log-format.js';
import { toolDefinitions } from '../tool-definitions.js';
import { openAIUsage } from '../usage-of.js';

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
  #index = 0;
  #latestCallOf = new Map<string, string>();

  constructor(notes: NoteTaker, options: { readonly tools?: unknown } = {}) {
    this.#notes = notes;
    this.#recorder = new SessionRecorder(notes);
    this.#tools = options.tools;
  }

  #tools: unknown;

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  read(message: JsonObject, line?: number): void {
    const index = this.#index++;
    const entry: Entry = {
      id: line === undefined ? `message-${index}` : `line-${line}`,
      line,
      timestamp: message['timestamp'] ?? objectOf(message['extra'])['timestamp'],
    };
    const isInstruction = message['role'] === 'system' || message['role'] === 'developer';
    if (index === 0 && !isInstruction) this.#toolsAlone(entry);
    switch (message['role']) {
      case 'system':
      case 'developer':
        this.#recorder.instructions(
          entry,
          this.#parts(message['content'], entry),
          index === 0 ? toolDefinitions(this.#tools) : [],
        );
        return;
      case 'user': {
        const source = observationText.test(plainText(message['content'])) ? 'environment' : 'user';
        this.#recorder.message(entry, this.#parts(message['content'], entry), source);
        return;
      }
      case 'assistant':
        this.#assistant(message, entry);
        return;
      case 'tool':
      case 'function':
        this.#result(message, entry);
        return;
      default:
        this.#notes.add(
          'unknown-line-type',
          `messages of role '${String(message['role'])}' are not known and were left out`,
          line,
        );
    }
  }

  /** Tools belong to the system prompt; where the log has tools and no prompt, they stand in an empty one. */
  #toolsAlone(entry: Entry): void {
    const tools = toolDefinitions(this.#tools);
    if (tools.length > 0) this.#recorder.systemPrompt({ ...entry, id: `${entry.id}-tools` }, '', tools);
  }

  #assistant(message: JsonObject, entry: Entry): void {
    const response = this.#recorder.response(entry);
    response.thought.push(...this.#parts(message['content'], entry));
    if (textOf(message['refusal']) !== undefined)
      response.thought.push({ type: 'text', text: String(message['refusal']) });
    response.reasoningContent = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
    for (const [index, call] of listOf(message['tool_calls']).entries())
      this.#call(objectOf(call), index, response, entry);
    if (isObject(message['function_call'])) this.#legacyCall(message['function_call'], response, entry);
    const raw = objectOf(objectOf(message['extra'])['response']);
    const usage = openAIUsage(message['usage'] ?? raw['usage']);
    const model = textOf(message['model']) ?? textOf(raw['model']) ?? 'unknown';
    if (usage !== undefined) response.usage = { entry, model, usage };
  }

  #call(call: JsonObject, index: number, response: ResponseDraft, entry: Entry): void {
    const called = isObject(call['function']) ? call['function'] : isObject(call['custom']) ? call['custom'] : call;
    this.#recorder.call(response, entry, {
      id: textOf(call['id']) ?? `call-of-${entry.id}-${index}`,
      name: textOf(called['name']) ?? textOf(call['function']) ?? 'unknown',
      input: called['arguments'] ?? (called['input'] === undefined ? undefined : { input: called['input'] }),
    });
  }

  /** The calls of before there were ids: a result names its function. */
  #legacyCall(call: JsonObject, response: ResponseDraft, entry: Entry): void {
    const name = textOf(call['name']) ?? 'unknown';
    const id = `call-of-${entry.id}`;
    this.#latestCallOf.set(name, id);
    this.#recorder.call(response, entry, { id, name, input: call['arguments'] });
  }

  #result(message: JsonObject, entry: Entry): void {
    const name = textOf(message['name']);
    const legacyId = message['role'] === 'function' && name !== undefined ? this.#latestCallOf.get(name) : undefined;
    this.#recorder.result(entry, {
      callId: textOf(message['tool_call_id']) ?? legacyId,
      toolName: name,
      content: this.#parts(message['content'], entry),
      isError: message['is_error'] === true || isObject(message['error']),
    });
  }

  #parts(content: unknown, entry: Entry): ReturnType<typeof contentParts> {
    return contentParts(content, (type) =>
      this.#notes.add('unsupported-content', `a part of type '${type}' was kept as text`, entry.line),
    );
  }
}
