import { receivedArguments, usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { madeCallId, SessionRecorder } from '../log/recorder.js';
import { ReplySteps } from '../log/reply-steps.js';
import type { Entry, LogFormat, LogSource } from '../log/session.js';
import { conversationsIn, readConversations } from './messages.js';
import type { ConversationReader } from './messages.js';

/** The states of a tool whose result the model was sent. */
const answeredStates: ReadonlySet<unknown> = new Set(['output-available', 'output-error', 'output-denied', 'result']);

/**
 * UI messages of the AI SDK, as chats store them: a list, an object that holds a list under `messages`, lists of these, JSON
 * Lines of any. A message has `parts`; a tool's call and its result are one part, `tool-<name>`, `dynamic-tool` or, in version
 * 4, `tool-invocation`. A message with several steps is several replies.
 *
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message and https://github.com/vercel/ai
 * `packages/ai/src/ui/ui-messages.ts`, `convert-to-model-messages.ts`
 */
export const aiSdkUi: LogFormat = {
  name: 'ai-sdk-ui',
  recognise: ({ head }) => head.some((value) => isUIMessage(value) || conversationsIn(value, isUIMessage).length > 0),
  read: (source: LogSource) =>
    readConversations(source, isUIMessage, () => new UIMessageReader(new SessionRecorder(source.notes))),
};

/** Returns true for a message whose parts have types. Parts of Gemini have none. */
function isUIMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || !['system', 'user', 'assistant'].includes(String(value['role']))) return false;
  const { parts } = value;
  return Array.isArray(parts) && parts.every((part) => textOf(objectOf(part)['type']) !== undefined);
}

class UIMessageReader implements ConversationReader {
  readonly #recorder: SessionRecorder;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
  }

  finish(): ReturnType<ConversationReader['finish']> {
    return this.#recorder.finish();
  }

  read(message: JsonObject, { index, line }: Parameters<ConversationReader['read']>[1]): void {
    const metadata = objectOf(message['metadata']);
    const timestamp = message['createdAt'] ?? metadata['createdAt'] ?? metadata['timestamp'];
    const id = textOf(message['id']) ?? (line === undefined ? `message-${index}` : `line-${line}`);
    const entry: Entry = { id, line, timestamp };
    const parts = listOf(message['parts']).map(objectOf);
    if (message['role'] === 'assistant') {
      this.#assistant(parts, metadata, entry);
      return;
    }
    const content = parts.flatMap((part) => this.#content(part, entry));
    if (message['role'] === 'system') this.#recorder.instructions(entry, content);
    else this.#recorder.message(entry, content, 'user');
  }

  #assistant(parts: readonly JsonObject[], metadata: JsonObject, entry: Entry): void {
    const reply = new ReplySteps(this.#recorder, entry);
    for (const part of parts) {
      const type = textOf(part['type']) ?? '';
      if (type === 'step-start') reply.endStep();
      else if (type === 'reasoning') addReasoning(reply, part);
      else if (type === 'dynamic-tool') this.#tool(part, textOf(part['toolName']), entry, reply);
      else if (type === 'tool-invocation') {
        const invocation = objectOf(part['toolInvocation']);
        this.#tool(invocation, textOf(invocation['toolName']), entry, reply);
      } else if (type.startsWith('tool-')) this.#tool(part, type.slice('tool-'.length), entry, reply);
      else {
        const content = this.#content(part, entry);
        if (content.length > 0) reply.response.say(content);
      }
    }
    if (reply.steps === 0) void reply.response;
    // A message has one place for usage. That of several steps is a sum.
    if (reply.steps === 1)
      reply.latest?.count(entry, metadata['model'] ?? metadata['modelId'], usageInAnyForm(metadata['usage']));
    else if (isObject(metadata['usage']))
      this.#recorder.notes.add('skipped-line', 'the usage of several steps, which is not told apart', entry.line);
    reply.endStep();
  }

  #tool(part: JsonObject, toolName: string | undefined, entry: Entry, reply: ReplySteps): void {
    const { response } = reply;
    const id = textOf(part['toolCallId']) ?? madeCallId(entry, response);
    const input = part['input'] ?? part['args'] ?? part['rawInput'];
    this.#recorder.call(response, entry, { id, name: toolName, arguments: receivedArguments(input) });
    const { state } = part;
    if (!answeredStates.has(state) || part['preliminary'] === true) return;
    const output = part['output'] ?? part['result'];
    const said =
      state === 'output-error'
        ? textOf(part['errorText'])
        : state === 'output-denied'
          ? (textOf(objectOf(part['approval'])['reason']) ?? 'The user denied the call.')
          : typeof output === 'string'
            ? output
            : JSON.stringify(output ?? null);
    const content = this.#recorder.parts(entry, said);
    const isError = state === 'output-error' || state === 'output-denied';
    reply.addResult(() =>
      this.#recorder.result({ ...entry, id: `${id}-result` }, { callId: id, toolName, content, isError }),
    );
  }

  /** What a model reads of a part. Data, sources and files that are no images are not kept as content. */
  #content(part: JsonObject, entry: Entry): ReturnType<SessionRecorder['parts']> {
    const type = textOf(part['type']) ?? '';
    if (type.startsWith('data-') || type.startsWith('source')) {
      const what = type.startsWith('data-') ? 'data-…' : type;
      this.#recorder.notes.add('skipped-line', `parts of type '${what}' are for the screen`, entry.line);
      return [];
    }
    if (type !== 'file') return this.#recorder.parts(entry, [part]);
    return this.#recorder.parts(entry, [{ ...part, data: part['url'] ?? part['data'] }]);
  }
}

/** Reasoning is signed where the provider signs it, and plain text elsewhere. */
function addReasoning(reply: ReplySteps, part: JsonObject): void {
  const text = textOf(part['text']) ?? textOf(part['reasoning']) ?? '';
  const own = objectOf(objectOf(part['providerMetadata'])['anthropic']);
  const [signature, data] = [textOf(own['signature']), textOf(own['redactedData'])];
  if (data !== undefined) reply.response.add({ type: 'thinking', block: { type: 'redacted-thinking', data } });
  else if (signature !== undefined)
    reply.response.add({ type: 'thinking', block: { type: 'thinking', thinking: text, signature } });
  else if (text !== '') reply.response.add({ type: 'reasoning-text', text });
}
