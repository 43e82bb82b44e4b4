import type { EventSource, KnownContent, ToolDefinition } from '@palimpsest/events';
import { openaiUsage, readTool, receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { isOpenHandsState, storedConversation } from '../log/openhands-folder.js';
import { addThinking, usageByResponse, usageBySnapshot } from '../log/openhands-replies.js';
import type { RecordedUsage } from '../log/openhands-replies.js';
import { SessionRecorder } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/** Events that the program makes for itself and its screens. */
const internalKinds: ReadonlySet<unknown> = new Set([
  'CondensationRequest',
  'ConversationStateUpdateEvent',
  'HookExecutionEvent',
  'LLMCompletionLogEvent',
  'PauseEvent',
  'StreamingDeltaEvent',
  'TokenEvent',
]);

/** Events of which a conversation has at least one. */
const readKinds: ReadonlySet<unknown> = new Set([
  'ActionEvent',
  'AgentErrorEvent',
  'MessageEvent',
  'ObservationEvent',
  'SystemPromptEvent',
  'UserRejectObservation',
]);

/** Keys for the list of events in exports and in the outputs of benchmarks. */
const listKeys = ['events', 'items', 'history', 'trajectory'] as const;

/**
 * Conversations of the OpenHands software agent SDK ("V1"): the folder of a conversation (`base_state.json` and
 * `events/event-00000-<id>.json`), named by its state or by one of its events; an exported list of events, alone or in an
 * object; events on lines of their own.
 *
 * The state holds the usage of each model call, by the id of its response. Without a state, events that report it may hold
 * sums.
 *
 * @see https://docs.openhands.dev/sdk/guides/convo-persistence
 * @see https://github.com/OpenHands/software-agent-sdk `openhands-sdk/openhands/sdk/event`, `llm/utils/metrics.py`
 */
export const openHandsSdk: LogFormat = {
  name: 'openhands-sdk',
  recognise: ({ head }) =>
    isOpenHandsState(head[0]) || head.some((value) => isEvent(value) || listsIn(value).length > 0),
  read: readOpenHandsSdk,
};

async function* readOpenHandsSdk(source: LogSource): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  if (isOpenHandsState(document) || isEvent(document)) {
    const { state, events } = await storedConversation(source, document);
    yield { name: source.name, events: eventsOf(events, state, notes) };
    return;
  }
  const onLines: JsonObject[] = [];
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    if (isObject(value) && typeof value['kind'] === 'string') {
      onLines.push(value);
      continue;
    }
    const lists = listsIn(value);
    if (lists.length === 0) notes.unknown('lines without an event', line);
    for (const list of lists) {
      const id = textOf(objectOf(value)['instance_id']) ?? String(++sessions);
      const name = document === undefined ? `${source.name}#${id}` : source.name;
      yield { name, events: eventsOf(list.map(objectOf), objectOf(value), notes) };
    }
  }
  if (onLines.length > 0) yield { name: source.name, events: eventsOf(onLines, {}, notes) };
}

function isEvent(value: unknown): value is JsonObject {
  return isObject(value) && readKinds.has(value['kind']) && textOf(value['source']) !== undefined;
}

/** Returns the list of events in a value. A damaged event does not hide the others. */
function listsIn(value: unknown): readonly (readonly unknown[])[] {
  const lists = Array.isArray(value) ? [value] : listKeys.map((key) => listOf(objectOf(value)[key]));
  return lists.filter((list) => list.some(isEvent)).slice(0, 1);
}

function eventsOf(events: readonly JsonObject[], state: JsonObject, notes: NoteTaker): ImportedSession['events'] {
  const usages = usageByResponse(state);
  const reader = new SdkReader(new SessionRecorder(notes), usages);
  for (const [index, event] of events.entries()) reader.read(event, index);
  if (usages.size === 0) reader.count(usageBySnapshot(events));
  return reader.finish();
}

class SdkReader {
  readonly #recorder: SessionRecorder;
  readonly #usages: ReadonlyMap<string, RecordedUsage>;
  /** The reply that an action with the same response id goes on with. */
  #open: { readonly responseId: string; readonly draft: ResponseDraft } | undefined;

  readonly #replies: { readonly entry: Entry; readonly response: ResponseDraft }[] = [];

  constructor(recorder: SessionRecorder, usages: ReadonlyMap<string, RecordedUsage>) {
    this.#recorder = recorder;
    this.#usages = usages;
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  /** Counts the usage of all replies, in their order. Without one for each reply it is not known whose it is. */
  count(usages: readonly RecordedUsage[]): void {
    if (usages.length !== this.#replies.length) return;
    for (const [index, { entry, response }] of this.#replies.entries()) {
      const recorded = usages[index];
      if (recorded === undefined) continue;
      response.count(entry, recorded.model, openaiUsage(recorded.usage)?.usage, recorded.costUsd);
    }
  }

  read(event: JsonObject, index: number): void {
    const { kind } = event;
    const entry: Entry = { id: textOf(event['id']) ?? `event-${index}`, timestamp: event['timestamp'] };
    this.#recorder.parent(event['parent_id'], undefined, kind === 'MessageEvent' && event['source'] === 'user');
    switch (kind) {
      case 'SystemPromptEvent':
        this.#systemPrompt(event, entry);
        return;
      case 'MessageEvent':
        this.#message(event, entry);
        return;
      case 'ActionEvent':
        this.#action(event, entry);
        return;
      case 'ObservationEvent':
        this.#open = undefined;
        this.#observation(event, entry);
        return;
      case 'UserRejectObservation':
        this.#open = undefined;
        this.#failure(event, event['rejection_reason'], entry);
        return;
      case 'AgentErrorEvent':
        // It answers a call that does not parse, at once: further calls of the same reply may follow.
        this.#failure(event, event['error'], entry);
        return;
      case 'Condensation':
        this.#recorder.compaction(entry, {
          summary: textOf(event['summary']),
          forgottenEvents: listOf(event['forgotten_event_ids']).length,
        });
        return;
      case 'ConversationErrorEvent':
        this.#recorder.internal(entry, {
          type: 'conversation-error',
          code: textOf(event['code']) ?? 'recorded-error',
          detail: textOf(event['detail']) ?? '',
        });
        return;
      default:
        if (internalKinds.has(kind))
          this.#recorder.notes.add('skipped-line', `'${String(kind)}' is not read by a model`);
        else this.#recorder.notes.unknown(`events of kind '${String(kind)}'`);
    }
  }

  #systemPrompt(event: JsonObject, entry: Entry): void {
    const textIn = (value: unknown): string => textOf(value) ?? textOf(objectOf(value)['text']) ?? '';
    const tools = listOf(event['tools']).flatMap((tool) => this.#tool(tool));
    this.#recorder.systemPrompt(entry, textIn(event['system_prompt']), tools, textIn(event['dynamic_context']));
  }

  /** A tool is logged by its class; only MCP tools and the first versions log the schema. */
  #tool(value: unknown): readonly ToolDefinition[] {
    const tool = objectOf(value);
    const named = isObject(tool['function']) || textOf(tool['name']) !== undefined ? tool : tool['mcp_tool'];
    const definition = readTool(named ?? { ...tool, name: toolNameOf(textOf(tool['kind']) ?? '') });
    if (definition === undefined) return [];
    if (!/Tool$/.test(String(tool['kind']))) return [definition];
    this.#recorder.notes.add('unsupported-content', 'the parameters of built-in tools are not in the log');
    return [definition];
  }

  #message(event: JsonObject, entry: Entry): void {
    const message = objectOf(event['llm_message'] ?? event['message']);
    const content = this.#content(message['content'], entry);
    this.#open = undefined;
    if (event['source'] === 'agent') {
      const response = this.#begin(event, entry);
      addThinking(response, message);
      response.say(content);
      return;
    }
    // A hook is named by the log, as the user is.
    const source = (textOf(event['source']) ?? 'environment') as Exclude<EventSource, 'agent'>;
    this.#recorder.message(entry, content, source);
    const extended = this.#content(event['extended_content'], entry);
    if (extended.length > 0) this.#recorder.message(entry, extended, 'environment');
  }

  #action(event: JsonObject, entry: Entry): void {
    const responseId = textOf(event['llm_response_id']);
    const isFirst = this.#open === undefined || this.#open.responseId !== responseId;
    const draft = isFirst ? this.#begin(event, entry) : this.#open?.draft;
    if (draft === undefined) return;
    if (responseId !== undefined) this.#open = { responseId, draft };
    addThinking(draft, event);
    draft.say(this.#content(event['thought'], entry));
    const call = objectOf(event['tool_call']);
    const { kind: _kind, ...action } = objectOf(event['action']);
    this.#recorder.call(draft, entry, {
      id: textOf(event['tool_call_id']) ?? textOf(call['id']) ?? `call-of-${entry.id}`,
      name: textOf(event['tool_name']) ?? textOf(call['name']),
      arguments: receivedArguments(call['arguments'] ?? action),
      itemId: textOf(call['responses_item_id']),
    });
  }

  #begin(event: JsonObject, entry: Entry): ResponseDraft {
    const responseId = textOf(event['llm_response_id']);
    const response = this.#recorder.response(entry, responseId);
    this.#replies.push({ entry, response });
    const recorded = this.#usages.get(responseId ?? '');
    // Where a server repeats its ids, the usage is of one reply only.
    if (recorded !== undefined && response.id === responseId)
      response.count(entry, recorded.model, openaiUsage(recorded.usage)?.usage, recorded.costUsd);
    return response;
  }

  #observation(event: JsonObject, entry: Entry): void {
    const { kind: _kind, is_error: isError, ...observation } = objectOf(event['observation']);
    const shown = observation['content'] ?? observation['output'] ?? JSON.stringify(observation);
    this.#result(event, [shown, event['extended_content']], isError === true, entry);
  }

  #failure(event: JsonObject, reason: unknown, entry: Entry): void {
    this.#result(event, [reason], true, entry);
  }

  #result(event: JsonObject, contents: readonly unknown[], isError: boolean, entry: Entry): void {
    this.#recorder.result(entry, {
      callId: textOf(event['tool_call_id']),
      toolName: textOf(event['tool_name']),
      content: contents.flatMap((content) => this.#content(content, entry)),
      isError,
    });
  }

  /** An image part holds several images. */
  #content(content: unknown, entry: Entry): readonly KnownContent[] {
    const parts = listOf(content).flatMap((part) => {
      const urls = listOf(objectOf(part)['image_urls']);
      return urls.length > 0 ? urls.map((url) => ({ type: 'image_url', image_url: { url } })) : [part];
    });
    return this.#recorder.parts(entry, Array.isArray(content) ? parts : content);
  }
}

/** Returns the name of a tool, which the SDK makes from the name of its class: `FileEditorTool` is `file_editor`. */
function toolNameOf(kind: string): string {
  return kind
    .replace(/Tool$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
