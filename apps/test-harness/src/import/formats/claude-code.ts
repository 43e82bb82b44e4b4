import { anthropicUsage, readAnthropicMessage } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { plainText, SessionRecorder } from '../log/recorder.js';
import type { RecordingOptions } from '../log/recorder.js';
import { RepeatedIds } from '../log/repeated-ids.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/** Types of lines that describe the session or copy a part of the conversation. */
const bookkeeping: ReadonlySet<unknown> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attachment',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'system',
  'tag',
  'worktree-state',
]);

/** Matches the start of a user message that the program wrote. */
const programText =
  /^\s*(?:<(?:local-command-(?:caveat|stdout|stderr)|bash-(?:stdout|stderr)|system-reminder|task-notification|user-memory-input)>|\[Request interrupted by user|Caveat: The messages below)/;

/**
 * The session logs of Claude Code: one object per line. A reply spans all lines with its `message.id`. The log contains
 * neither the system prompt nor the tools.
 */
export const claudeCodeJsonl: LogFormat = {
  name: 'claude-code-jsonl',

  recognise: ({ head }) =>
    head.some(
      (line) =>
        isObject(line) &&
        (((line['type'] === 'user' || line['type'] === 'assistant') &&
          isObject(line['message']) &&
          (textOf(line['uuid']) ?? textOf(line['sessionId'])) !== undefined) ||
          (line['type'] === 'summary' && textOf(line['leafUuid']) !== undefined) ||
          (line['type'] === 'system' && textOf(line['uuid']) !== undefined && 'parentUuid' in line)),
    ),

  read: readClaudeCode,
};

async function* readClaudeCode(source: LogSource): AsyncGenerator<ImportedSession> {
  const { notes } = source;
  const main = new Conversation(notes);
  const sidechains = new Map<string, Conversation>();
  const chainOfLine = new Map<string, string>();
  const repeated = new RepeatedIds(notes);
  for await (const { value, line } of source.records()) {
    const fields = objectOf(value);
    const { type } = fields;
    if (type !== 'user' && type !== 'assistant' && fields['subtype'] !== 'compact_boundary') {
      noteOther(fields, notes, line);
      continue;
    }
    const uuid = textOf(fields['uuid']);
    const id =
      uuid === undefined ? `line-${line}` : repeated.accept(uuid, fields['message'] ?? fields['subtype'], line);
    if (id === undefined) continue;
    const entry: Entry = { id, line, timestamp: fields['timestamp'] };
    if (fields['isSidechain'] === true) {
      const parent = textOf(fields['parentUuid']);
      const chain = textOf(fields['agentId']) ?? (parent === undefined ? undefined : chainOfLine.get(parent)) ?? id;
      if (uuid !== undefined) chainOfLine.set(uuid, chain);
      const conversation = sidechains.get(chain) ?? new Conversation(notes);
      if (!sidechains.has(chain)) {
        notes.add('sidechain', 'another conversation in the same log, read as a session of its own', line);
        sidechains.set(chain, conversation);
      }
      conversation.read(fields, entry);
    } else {
      main.read(fields, entry);
    }
  }
  if (!main.recorder.isEmpty || sidechains.size === 0) yield { name: source.name, events: main.recorder.finish() };
  let number = 0;
  for (const conversation of sidechains.values()) {
    yield { name: `${source.name}#sidechain-${++number}`, events: conversation.recorder.finish() };
  }
}

function noteOther(fields: JsonObject, notes: NoteTaker, line: number): void {
  const { type } = fields;
  const subtype = textOf(fields['subtype']) ?? textOf(objectOf(fields['attachment'])['type']);
  const name = subtype === undefined ? String(type) : `${String(type)}/${subtype}`;
  if (bookkeeping.has(type)) notes.add('skipped-line', `'${name}' is not read by a model`, line);
  else notes.unknown(`lines of type '${name}'`, line);
}

/** One chain of the log, in the order of the file. */
class Conversation {
  readonly recorder: SessionRecorder;
  #response:
    { readonly messageId: string | undefined; readonly input: string; readonly draft: ResponseDraft } | undefined;
  /** True if a result follows the newest line of the reply. */
  #hasResult = false;

  constructor(notes: NoteTaker) {
    this.recorder = new SessionRecorder(notes);
  }

  read(fields: JsonObject, entry: Entry): void {
    const message = objectOf(fields['message']);
    // Parallel results have the same parent too.
    const isPrompt = fields['type'] === 'user' && typeof message['content'] === 'string' && fields['isMeta'] !== true;
    this.recorder.parent(fields['parentUuid'], entry.line, isPrompt);
    if (fields['type'] === 'assistant') this.#assistant(fields, message, entry);
    else if (fields['type'] === 'user') this.#user(fields, message, entry);
    else this.recorder.compaction(entry, compactionFields(fields));
  }

  #assistant(fields: JsonObject, message: JsonObject, entry: Entry): void {
    if (message['model'] === '<synthetic>' || fields['isApiErrorMessage'] === true) {
      // The program wrote this message after a failed request. No model wrote it, and it is never sent to a model.
      this.recorder.internal(entry, {
        type: 'conversation-error',
        code: 'recorded-api-error',
        detail: plainText(message['content']),
      });
      return;
    }
    const { draft } = this.#replyOf(message, entry);
    this.#record({ ...message, role: 'assistant' }, entry, { response: draft });
    // Every line of a reply repeats its usage. Only the last line counts all output tokens.
    draft.count(entry, message['model'], anthropicUsage(message['usage'])?.usage);
  }

  /**
   * The reply that a line belongs to. A line continues the latest reply if it has the same `message.id`. Servers other than
   * Anthropic's repeat ids, so the input counts must be equal too, and a line after a result must contain only calls.
   */
  #replyOf(message: JsonObject, entry: Entry): { readonly draft: ResponseDraft } {
    const messageId = textOf(message['id']);
    const input = inputCounts(message['usage']);
    const isCall = listOf(message['content']).every((block) => objectOf(block)['type'] === 'tool_use');
    const latest = this.#response;
    const continues =
      latest !== undefined &&
      messageId !== undefined &&
      latest.messageId === messageId &&
      latest.input === input &&
      (isCall || !this.#hasResult);
    this.#hasResult = false;
    if (continues) return latest;
    this.#response = { messageId, input, draft: this.recorder.response(entry, messageId) };
    return this.#response;
  }

  #user(fields: JsonObject, message: JsonObject, entry: Entry): void {
    if (fields['isCompactSummary'] === true) {
      this.recorder.internal(entry, { type: 'recorded/compaction-summary', summary: plainText(message['content']) });
      this.recorder.notes.add(
        'skipped-line',
        'the summary of a recorded compaction is kept, but no model is sent it',
        entry.line,
      );
      return;
    }
    if (listOf(message['content']).some((block) => objectOf(block)['type'] === 'tool_result')) this.#hasResult = true;
    // The next assistant line answers this message, so it starts a new reply.
    else this.#response = undefined;
    const isProgram = (text: string) => fields['isMeta'] === true || programText.test(text);
    const sourceOf = (text: string) => (isProgram(text) ? 'environment' : 'user');
    this.#record({ ...message, role: 'user' }, entry, { sourceOf });
  }

  #record(message: JsonObject, entry: Entry, options: RecordingOptions): void {
    this.recorder.record(entry, readAnthropicMessage(message), options);
  }
}

/** Returns the input token counts of a reply. Every line of the reply repeats them. */
function inputCounts(usage: unknown): string {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = objectOf(usage);
  return JSON.stringify([input_tokens, cache_read_input_tokens, cache_creation_input_tokens]);
}

function compactionFields(fields: JsonObject): Readonly<Record<string, unknown>> {
  const metadata = objectOf(fields['compactMetadata']);
  return {
    ...(textOf(metadata['trigger']) === undefined ? {} : { trigger: metadata['trigger'] }),
    ...(typeof metadata['preTokens'] === 'number' ? { tokensBefore: metadata['preTokens'] } : {}),
  };
}
