import { anthropicUsage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import { isObject, numberOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { madeCallId, singleSession } from '../log/recorder.js';
import type { SessionRecorder } from '../log/recorder.js';
import { RepeatedIds } from '../log/repeated-ids.js';
import type { Entry } from '../log/session.js';

const messageRoles: ReadonlySet<unknown> = new Set([
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

const settings: ReadonlySet<unknown> = new Set([
  'custom',
  'label',
  'leaf',
  'model_change',
  'session',
  'session_info',
  'thinking_level_change',
]);

/** The session logs of pi: linear in the first version, trees in later versions. Every reply has its usage. */
export const piSessionJsonl = singleSession(
  'pi-session-jsonl',
  ({ head }) =>
    head.some(
      (line) =>
        isObject(line) &&
        line['uuid'] === undefined &&
        ((line['type'] === 'session' && textOf(line['cwd']) !== undefined) ||
          (line['type'] === 'message' && messageRoles.has(objectOf(line['message'])['role']))),
    ),
  async (recorder, source) => {
    const session = new PiSession(recorder);
    for await (const { value, line } of source.records()) session.read(objectOf(value), line);
  },
);

class PiSession {
  readonly #recorder: SessionRecorder;
  readonly #repeated: RepeatedIds;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
    this.#repeated = new RepeatedIds(recorder.notes);
  }

  read(fields: JsonObject, line: number): void {
    const { type } = fields;
    if (settings.has(type)) {
      this.#recorder.notes.add('skipped-line', `'${String(type)}' is not read by a model`, line);
      return;
    }
    const logged = textOf(fields['id']);
    const id =
      logged === undefined ? `line-${line}` : this.#repeated.accept(logged, { ...fields, parentId: null }, line);
    if (id === undefined) return;
    this.#recorder.parent(fields['parentId'], line);
    const message = objectOf(fields['message']);
    const entry: Entry = { id, line, timestamp: fields['timestamp'] ?? message['timestamp'] };
    switch (type) {
      case 'message':
        this.#message(message, entry);
        return;
      case 'compaction':
        this.#compaction(fields, entry);
        return;
      case 'branch_summary':
        this.#recorder.message(entry, this.#recorder.parts(entry, fields['summary']), 'environment');
        return;
      case 'custom_message':
        this.#recorder.message(entry, this.#recorder.parts(entry, fields['content']), 'environment');
        return;
      default:
        this.#recorder.notes.unknown(`lines of type '${String(type)}'`, line);
    }
  }

  #message(message: JsonObject, entry: Entry): void {
    switch (message['role']) {
      case 'user':
        this.#recorder.message(entry, this.#recorder.parts(entry, message['content']), 'user');
        return;
      case 'assistant':
        this.#assistant(message, entry);
        return;
      case 'toolResult':
        this.#recorder.result(entry, {
          callId: textOf(message['toolCallId'])?.split('|')[0],
          toolName: textOf(message['toolName']),
          content: this.#recorder.parts(entry, message['content']),
          isError: message['isError'] === true,
        });
        return;
      case 'bashExecution':
        this.#userShell(message, entry);
        return;
      case 'custom':
      case 'branchSummary':
        this.#recorder.message(
          entry,
          this.#recorder.parts(entry, message['content'] ?? message['summary']),
          'environment',
        );
        return;
      case 'compactionSummary':
        this.#compaction(message, entry);
        return;
      default:
        this.#recorder.notes.unknown(`messages of role '${String(message['role'])}'`, entry.line);
    }
  }

  #assistant(message: JsonObject, entry: Entry): void {
    const response = this.#recorder.response(entry, textOf(message['responseId']));
    const content = message['content'];
    for (const block of Array.isArray(content) ? content : [content]) {
      const fields = objectOf(block);
      if (fields['type'] === 'thinking') {
        const signature = textOf(fields['thinkingSignature']);
        const thinking = textOf(fields['thinking']) ?? '';
        const isAnthropic = message['api'] === 'anthropic-messages' || message['api'] === undefined;
        const signed = signature === undefined ? {} : { signature };
        // A signature of another provider is not valid for Anthropic, so a block with that signature could not be sent.
        if (!isAnthropic) response.add({ type: 'reasoning-text', text: thinking });
        else response.add({ type: 'thinking', block: { type: 'thinking', thinking, ...signed } });
      } else if (fields['type'] === 'toolCall') {
        // If the provider gives both ids, pi joins the call id and the item id with `|`.
        const [callId, itemId] = textOf(fields['id'])?.split('|') ?? [];
        this.#recorder.call(response, entry, {
          id: textOf(callId) ?? madeCallId(entry, response),
          name: textOf(fields['name']),
          arguments: receivedArguments(fields['arguments']),
          itemId: textOf(itemId),
        });
      } else {
        response.say(this.#recorder.parts(entry, block));
      }
    }
    const counts = objectOf(message['usage']);
    const reported = anthropicUsage({
      input_tokens: counts['input'],
      cache_read_input_tokens: counts['cacheRead'],
      cache_creation_input_tokens: counts['cacheWrite'],
      output_tokens: counts['output'],
    });
    response.count(entry, message['model'], reported?.usage, numberOf(objectOf(counts['cost'])['total']));
  }

  /** A command that the user ran. The model did not call it, but receives its output as a user message. */
  #userShell(message: JsonObject, entry: Entry): void {
    if (message['excludeFromContext'] === true) {
      this.#recorder.notes.add('skipped-line', "a 'bashExecution' that the user kept from the model", entry.line);
      return;
    }
    const exitCode = numberOf(message['exitCode']);
    const status = exitCode === undefined || exitCode === 0 ? '' : `\nexit code ${exitCode}`;
    const text = `The user ran: ${String(message['command'])}\n${textOf(message['output']) ?? '(no output)'}${status}`;
    this.#recorder.message(entry, [{ type: 'text', text }], 'environment');
  }

  #compaction(fields: JsonObject, entry: Entry): void {
    const summary = textOf(fields['summary']);
    const tokensBefore = numberOf(fields['tokensBefore']);
    const firstKept = textOf(fields['firstKeptEntryId']);
    this.#recorder.compaction(entry, { summary, tokensBefore, firstKeptEntryId: firstKept });
  }
}
