import type { EventSource } from '@palimpsest/events';
import { openaiUsage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { singleSession, toolDefinitions } from '../log/recorder.js';
import type { SessionRecorder } from '../log/recorder.js';
import type { Entry } from '../log/session.js';

/** Actions and observations of the framework: state changes and context retrieval. */
const internalKinds: ReadonlySet<unknown> = new Set([
  'agent_state_changed',
  'change_agent_state',
  'null',
  'recall',
  'condensation_request',
]);

/**
 * Event logs of OpenHands before its software agent SDK: a list of actions and observations, alone or as `history`. An
 * observation names its action in `cause`. Without `cause`, it answers the previous action.
 */
export const openHandsEvents = singleSession(
  'openhands-events',
  ({ document }) => {
    const history = historyOf(document);
    const events = history.filter(
      (event) => textOf(event['action']) !== undefined || textOf(event['observation']) !== undefined,
    );
    return events.length > 0 && events.length === history.length && history.some((event) => 'action' in event);
  },
  (recorder, { document }) => {
    const reader = new OpenHandsReader(recorder);
    for (const [index, event] of historyOf(document).entries()) reader.read(event, index);
  },
);

class OpenHandsReader {
  readonly #recorder: SessionRecorder;
  readonly #callOfAction = new Map<unknown, string>();
  #latestCall: string | undefined;
  #response: { readonly whole: string; readonly draft: ResponseDraft } | undefined;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
  }

  read(event: JsonObject, index: number): void {
    const entry: Entry = {
      id: `event-${typeof event['id'] === 'number' ? event['id'] : index}`,
      timestamp: event['timestamp'],
    };
    const kind = textOf(event['action']) ?? textOf(event['observation']);
    if (internalKinds.has(kind)) this.#recorder.notes.add('skipped-line', `'${String(kind)}' is the framework's own`);
    else if (textOf(event['observation']) !== undefined) this.#observation(event, entry);
    else this.#action(event, kind ?? '', entry);
  }

  #action(event: JsonObject, kind: string, entry: Entry): void {
    // The earliest logs store the arguments next to `action` instead of under `args`.
    const { action: _action, is_confirmed: _confirmed, action_risk: _risk, ...flat } = event;
    const args = isObject(event['args']) ? event['args'] : flat;
    const content = () => this.#recorder.parts(entry, args['content'] ?? event['message']);
    if (kind === 'system') {
      this.#recorder.systemPrompt(
        entry,
        textOf(args['content']) ?? '',
        toolDefinitions(args['tools'], this.#recorder.notes),
      );
    } else if (kind === 'condensation') {
      const summary = textOf(args['summary']);
      this.#recorder.compaction(entry, summary === undefined ? {} : { summary });
    } else if (
      kind === 'message' &&
      (event['source'] === 'agent' || (event['source'] === undefined && this.#recorder.responses > 0))
    ) {
      this.#response = undefined;
      this.#recorder.response(entry).say(content());
    } else if (kind === 'message') {
      this.#response = undefined;
      this.#recorder.message(entry, content(), sourceOf(event));
    } else if (event['source'] !== 'agent' && event['source'] !== undefined) {
      this.#recorder.notes.add('skipped-line', `an action '${kind}' that no agent took`);
    } else {
      this.#toolAction(event, args, kind, entry);
    }
  }

  #toolAction(event: JsonObject, args: JsonObject, kind: string, entry: Entry): void {
    const metadata = objectOf(event['tool_call_metadata']);
    const reply = objectOf(metadata['model_response']);
    const responseId = textOf(reply['id']);
    // Every action of a reply repeats the whole reply. The repeated content distinguishes two replies with the same id.
    const whole = JSON.stringify(reply);
    const message = objectOf(objectOf(listOf(reply['choices'])[0])['message']);
    const callId = textOf(metadata['tool_call_id']) ?? `call-of-${entry.id}`;
    const logged = listOf(message['tool_calls'])
      .map(objectOf)
      .find((call) => call['id'] === metadata['tool_call_id']);
    if (this.#response === undefined || responseId === undefined || this.#response.whole !== whole) {
      const draft = this.#recorder.response(entry, responseId);
      this.#response = { whole, draft };
      const thought = textOf(message['content']) ?? textOf(args['thought']);
      if (thought !== undefined) draft.say([{ type: 'text', text: thought }]);
      draft.count(entry, reply['model'], openaiUsage(reply['usage'])?.usage);
    }
    const { thought: _thought, ...input } = args;
    this.#recorder.call(this.#response.draft, entry, {
      id: callId,
      name: textOf(metadata['function_name']) ?? kind,
      arguments: receivedArguments(objectOf(logged?.['function'])['arguments'] ?? input),
    });
    this.#callOfAction.set(event['id'], callId);
    this.#latestCall = callId;
  }

  #observation(event: JsonObject, entry: Entry): void {
    const content = this.#recorder.parts(entry, event['content'] ?? event['message']);
    const callId = event['cause'] === undefined ? this.#latestCall : this.#callOfAction.get(event['cause']);
    const isError = event['observation'] === 'error';
    if (callId === undefined || (isError && event['cause'] === undefined)) {
      // No action of the agent caused this observation: it is a message of the framework to the model.
      this.#recorder.message(entry, content, 'environment');
      return;
    }
    if (event['cause'] === undefined) this.#latestCall = undefined;
    this.#recorder.result(entry, { callId, content, isError });
  }
}

/** Returns the source: the user, unless the log names another one, such as a hook. A named source keeps its name. */
function sourceOf(event: JsonObject): Exclude<EventSource, 'agent'> {
  return (textOf(event['source']) ?? 'user') as Exclude<EventSource, 'agent'>;
}

function historyOf(document: unknown): readonly JsonObject[] {
  const history = listOf(Array.isArray(document) ? document : objectOf(document)['history']);
  return history.every(isObject) ? history : [];
}
