import type { KnownContent } from '@palimpsest/events';
import { anthropicUsage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, numberOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { asVersionOne, documentOf, isExport, isSessionInfo, storedSession } from '../log/opencode-session.js';
import type { OpencodeMessage } from '../log/opencode-session.js';
import { madeCallId, SessionRecorder } from '../log/recorder.js';
import { ReplySteps } from '../log/reply-steps.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/** Parts and messages that describe the session. */
const bookkeeping: ReadonlySet<unknown> = new Set([
  'agent',
  'agent-switched',
  'idle',
  'location-switched',
  'model-switched',
  'patch',
  'snapshot',
]);

/**
 * The sessions of opencode: an export, the storage folders of the versions before 1.2, and the database of later versions. A
 * tool's call and its result are one part; a message with several steps is several replies.
 */
export const opencode: LogFormat = {
  name: 'opencode',
  recognise: ({ head }) => isExport(head[0]) || isSessionInfo(head[0]),
  read: readOpencode,
};

async function* readOpencode(source: LogSource): AsyncGenerator<ImportedSession> {
  for await (const { value } of source.records()) {
    const { notes } = source;
    const document = isSessionInfo(value) ? await storedSession(source, value) : documentOf(value);
    const session = new OpencodeSession(notes);
    const messages = document.messages.map(asVersionOne);
    session.begin(document.info, messages);
    messages.forEach((message, index) => session.read(message, index));
    // A database holds many sessions.
    const id = source.document === undefined ? textOf(document.info['id']) : undefined;
    yield { name: id === undefined ? source.name : `${source.name}#${id}`, events: session.finish() };
  }
}

class OpencodeSession {
  readonly #recorder: SessionRecorder;
  /** True from a request for a compaction until its summary. */
  #compacting = false;

  constructor(notes: NoteTaker) {
    this.#recorder = new SessionRecorder(notes);
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  /** Early versions log the system prompt with a message. */
  begin(info: JsonObject, messages: readonly OpencodeMessage[]): void {
    if (isObject(info['revert']))
      this.#recorder.notes.add('branch', 'the session was reverted; what was undone stays, in the order of the log');
    const systems = messages.map((message) => message.info['system']);
    const system = systems.find((value) => textOf(value) !== undefined || Array.isArray(value));
    const text = Array.isArray(system)
      ? system.filter((part) => typeof part === 'string').join('\n\n')
      : textOf(system);
    if (text !== undefined && text !== '') this.#recorder.systemPrompt({ id: 'system' }, text);
  }

  read({ info, parts }: OpencodeMessage, index: number): void {
    const entry: Entry = {
      id: textOf(info['id']) ?? `message-${index + 1}`,
      timestamp: objectOf(info['time'])['created'],
    };
    switch (info['role']) {
      case 'user':
        this.#user(parts, entry);
        return;
      case 'assistant':
        if (info['summary'] === true) this.#summary(info, parts, entry);
        else this.#assistant(info, parts, entry);
        return;
      case 'system':
        this.#recorder.instructions(entry, this.#texts(entry, parts));
        return;
      default:
        this.#noteOther(info['role'], 'messages');
    }
  }

  #texts(entry: Entry, parts: readonly JsonObject[]): readonly KnownContent[] {
    return parts.flatMap((part) => this.#recorder.parts(entry, part['text']));
  }

  /** The user's own words and what the program wrote for the user are messages of their own, in the order of the parts. */
  #user(parts: readonly JsonObject[], entry: Entry): void {
    let source: 'user' | 'environment' = 'user';
    let content: KnownContent[] = [];
    const flush = (): void => {
      if (content.length > 0) this.#recorder.message(entry, content, source);
      content = [];
    };
    for (const [index, part] of parts.entries()) {
      switch (part['type']) {
        case 'text': {
          if (part['ignored'] === true) {
            this.#recorder.notes.add('skipped-line', 'a text that is kept from the model');
            break;
          }
          const author = part['synthetic'] === true ? 'environment' : 'user';
          if (author !== source) flush();
          source = author;
          content.push(...this.#recorder.parts(entry, part['text']));
          break;
        }
        case 'file':
          content.push(...this.#file(part, entry));
          break;
        case 'compaction':
          flush();
          this.#compaction(part, entry);
          break;
        default:
          if (part['type'] === 'subtask') {
            flush();
            this.#unread(part, index, entry, 'a task for another agent');
          } else this.#noteOther(part['type'], 'parts');
      }
    }
    flush();
  }

  /** Images are sent. The text of other files is in a text part that the program added. */
  #file(part: JsonObject, entry: Entry): readonly KnownContent[] {
    const mime = textOf(part['mime']) ?? '';
    if (mime.startsWith('text/') || mime === 'application/x-directory') {
      this.#recorder.notes.add('skipped-line', `a reference to a file; what the model read of it is a part of its own`);
      return [];
    }
    const url = textOf(part['url']);
    if (mime.startsWith('image/') && url !== undefined && /^(?:data|https?):/.test(url))
      return this.#recorder.parts(entry, [{ type: 'image_url', image_url: { url } }]);
    return this.#recorder.parts(entry, [{ ...part, type: 'file' }]);
  }

  #compaction(part: JsonObject, entry: Entry): void {
    const { status } = part;
    if (status === 'failed') {
      this.#error(part['error'], entry, 'recorded-compaction-error');
      return;
    }
    const trigger = part['auto'] === true || part['reason'] === 'auto' ? 'auto' : 'manual';
    const fields = {
      trigger,
      ...(textOf(part['summary']) === undefined ? {} : { summary: part['summary'] }),
      ...(textOf(part['tail_start_id']) === undefined ? {} : { firstKeptEntryId: part['tail_start_id'] }),
    };
    this.#recorder.compaction(entry, fields);
    // A message of version 2 holds the summary; in version 1 a reply follows that is the summary.
    this.#compacting = status === undefined;
  }

  #summary(info: JsonObject, parts: readonly JsonObject[], entry: Entry): void {
    if (!this.#compacting) this.#recorder.compaction(entry, {});
    this.#compacting = false;
    const summary = parts.flatMap((part) => (part['type'] === 'text' ? (textOf(part['text']) ?? []) : [])).join('\n');
    const cost = numberOf(info['cost']);
    const fields = { type: 'recorded/compaction-summary', summary, ...(cost === undefined ? {} : { costUsd: cost }) };
    this.#recorder.internal(entry, fields);
    this.#recorder.notes.add('skipped-line', 'the summary of a recorded compaction is kept, but no model is sent it');
  }

  #assistant(info: JsonObject, parts: readonly JsonObject[], entry: Entry): void {
    const reply = new ReplySteps(this.#recorder, entry);
    let hasUsage = false;
    for (const [index, part] of parts.entries()) {
      const id = textOf(part['id']) ?? `${entry.id}-${index + 1}`;
      const place: Entry = { id, timestamp: objectOf(part['time'])['start'] ?? entry.timestamp };
      switch (part['type']) {
        case 'step-start':
          reply.endStep();
          break;
        case 'step-finish':
          hasUsage = countUsage(reply.response, entry, info, part) || hasUsage;
          reply.endStep();
          break;
        case 'text':
          reply.response.say(this.#recorder.parts(entry, part['text']));
          break;
        case 'reasoning':
          addReasoning(reply.response, part, info);
          break;
        case 'tool':
          this.#tool(part, place, reply);
          break;
        case 'retry':
          this.#error(part['error'], place, 'recorded-retry');
          break;
        default:
          this.#noteOther(part['type'], 'parts');
      }
    }
    const { error } = info;
    // A request that failed before it was answered is no reply.
    if (reply.steps === 0 && !isObject(error)) void reply.response;
    if (!hasUsage && reply.steps === 1) countUsage(reply.latest, entry, info, info);
    reply.endStep();
    if (isObject(error)) this.#error(error, entry, 'recorded-error');
  }

  #tool(part: JsonObject, entry: Entry, reply: ReplySteps): void {
    const state = objectOf(part['state']);
    const { response } = reply;
    const id = textOf(part['callID']) ?? madeCallId(entry, response);
    const toolName = textOf(part['tool']);
    const input = state['input'] ?? state['raw'];
    this.#recorder.call(response, entry, { id, name: toolName, arguments: receivedArguments(input) });
    const { status } = state;
    if (status !== 'completed' && status !== 'error') return;
    const time = objectOf(state['time']);
    const error = textOf(state['error']) ?? textOf(objectOf(state['error'])['message']);
    const files = Array.isArray(state['attachments']) ? state['attachments'].map(objectOf) : [];
    const resultEntry: Entry = { id: `${entry.id}-result`, timestamp: time['end'] ?? entry.timestamp };
    const content = [
      ...this.#recorder.parts(entry, status === 'error' ? (error ?? state['output']) : state['output']),
      ...files.flatMap((file) => this.#file(file, entry)),
    ];
    const clearedAt = numberOf(time['compacted']);
    if (clearedAt !== undefined)
      this.#recorder.notes.add(
        'recorded-compaction',
        'the recording agent cleared an old result; the full result is kept',
      );
    reply.addResult(() =>
      this.#recorder.result(resultEntry, {
        callId: id,
        toolName,
        content,
        isError: status === 'error',
        details: clearedAt === undefined ? undefined : { clearedAt },
      }),
    );
  }

  #error(error: unknown, entry: Entry, code: string): void {
    const { name, message, data } = objectOf(error);
    const detail =
      textOf(objectOf(data)['message']) ?? textOf(message) ?? textOf(name) ?? JSON.stringify(error ?? null);
    this.#recorder.internal({ ...entry, id: `${entry.id}-error` }, { type: 'conversation-error', code, detail });
  }

  #unread(part: JsonObject, index: number, entry: Entry, reason: string): void {
    this.#recorder.unread(entry, [{ type: 'unread', path: `parts.${index}`, reason, value: part }]);
  }

  #noteOther(type: unknown, what: string): void {
    if (bookkeeping.has(type)) this.#recorder.notes.add('skipped-line', `'${String(type)}' is not read by a model`);
    else this.#recorder.notes.unknown(`${what} of type '${String(type)}'`);
  }
}

/** Counts the tokens of a step, or of a message that logs them once. Returns false if there are none. */
function countUsage(response: ResponseDraft | undefined, entry: Entry, info: JsonObject, counted: JsonObject): boolean {
  const tokens = objectOf(counted['tokens']);
  const cache = objectOf(tokens['cache']);
  const [output, reasoning] = [numberOf(tokens['output']), numberOf(tokens['reasoning']) ?? 0];
  // Versions that log a total count reasoning apart from the output; earlier ones count it in both.
  const isApart = numberOf(tokens['total']) !== undefined || info['type'] === 'assistant';
  const reported = anthropicUsage({
    input_tokens: tokens['input'],
    cache_read_input_tokens: cache['read'],
    cache_creation_input_tokens: cache['write'],
    output_tokens: output === undefined ? undefined : output + (isApart ? reasoning : 0),
  });
  response?.count(entry, info['modelID'], reported?.usage, numberOf(counted['cost']));
  return response?.usage !== undefined;
}

/** Reasoning is signed where the provider signs it, and plain text elsewhere. */
function addReasoning(response: ResponseDraft, part: JsonObject, info: JsonObject): void {
  const text = textOf(part['text']) ?? '';
  const metadata = objectOf(part['metadata']);
  const own = { ...metadata, ...objectOf(metadata['anthropic']) };
  const isAnthropic = isObject(metadata['anthropic']) || /anthropic|claude/i.test(String(info['modelID']));
  const signature = textOf(own['signature']);
  const redacted = textOf(own['redactedData']);
  if (redacted !== undefined) response.add({ type: 'thinking', block: { type: 'redacted-thinking', data: redacted } });
  else if (isAnthropic && signature !== undefined)
    response.add({ type: 'thinking', block: { type: 'thinking', thinking: text, signature } });
  else if (text !== '') response.add({ type: 'reasoning-text', text });
}
