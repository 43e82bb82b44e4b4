import { openaiUsage, readResponsesItem } from '@palimpsest/llm-adapters/wire';
import { CopiedHistory } from '../log/codex-fork.js';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, numberOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { singleSession, toolDefinitions } from '../log/recorder.js';
import type { SessionRecorder } from '../log/recorder.js';
import type { Entry } from '../log/session.js';

const lineTypes: ReadonlySet<unknown> = new Set([
  'session_meta',
  'turn_context',
  'event_msg',
  'response_item',
  'compacted',
]);

/** Matches the start of a user message that the program wrote. */
const programText =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|permissions instructions|collaboration_mode|turn_aborted|skill|skills_instructions|subagent_notification|user_shell_command)>)/;

/**
 * The rollouts of Codex CLI: lines with a `payload`. `response_item` holds what the model received and wrote; `event_msg`
 * repeats it for display and adds the usage of each response. History that a fork or a sub-agent copies from its parent is
 * shown, and not counted.
 */
export const codexRollout = singleSession(
  'codex-rollout',
  ({ head }) => head.some((line) => isObject(line) && lineTypes.has(line['type']) && isObject(line['payload'])),
  async (recorder, source) => {
    const rollout = new Rollout(recorder, source.head);
    for await (const { value, line } of source.records()) {
      const fields = objectOf(value);
      rollout.read(fields, { id: `line-${line}`, line, timestamp: fields['timestamp'] });
    }
    rollout.end();
  },
);

class Rollout {
  readonly #recorder: SessionRecorder;
  readonly #items: ResponsesItems;
  #model = 'unknown';
  #totalTokens: number | undefined;
  /** The copy of the parent's history, while it is read. */
  #copy: CopiedHistory | undefined;
  #latest: Entry = { id: 'line-0' };

  constructor(recorder: SessionRecorder, head: readonly unknown[]) {
    this.#recorder = recorder;
    this.#copy = CopiedHistory.in(head);
    this.#items = new ResponsesItems(recorder, (text) => (programText.test(text) ? 'environment' : 'user'));
  }

  read(fields: JsonObject, entry: Entry): void {
    const payload = objectOf(fields['payload']);
    const { notes } = this.#recorder;
    if (this.#copy?.endsBefore(fields) === true) this.end();
    this.#latest = entry;
    switch (fields['type']) {
      case 'session_meta':
        this.#sessionMeta(payload, entry);
        return;
      case 'turn_context':
        this.#model = textOf(payload['model']) ?? this.#model;
        notes.add('skipped-line', "'turn_context' holds settings", entry.line);
        return;
      case 'response_item':
        this.#items.read(payload, entry);
        return;
      case 'event_msg':
        if (payload['type'] === 'token_count') this.#tokenCount(payload, entry);
        else notes.add('skipped-line', `'event_msg/${String(payload['type'])}' is for the screen`, entry.line);
        return;
      case 'compacted':
        this.#compacted(payload, entry);
        return;
      default:
        notes.unknown(`lines of type '${String(fields['type'])}'`, entry.line);
    }
  }

  /** Ends the copied history, also that of a session which has none of its own. */
  end(): void {
    if (this.#copy === undefined) return;
    this.#recorder.endOfCopiedHistory(this.#latest, this.#copy.parent);
    this.#items.endHistory();
    this.#copy = undefined;
  }

  #sessionMeta(payload: JsonObject, entry: Entry): void {
    const instructions = textOf(objectOf(payload['base_instructions'])['text']) ?? textOf(payload['instructions']);
    if (instructions === undefined) return;
    if (this.#recorder.isEmpty) this.#recorder.systemPrompt(entry, instructions);
    // A resumed or forked rollout begins with the head of the original rollout.
    else
      this.#recorder.notes.add(
        'skipped-line',
        "another 'session_meta', of a session that this one goes on from",
        entry.line,
      );
  }

  /** A usage line follows its response. It is repeated if only the rate limits changed. */
  #tokenCount(payload: JsonObject, entry: Entry): void {
    const info = objectOf(payload['info']);
    const total = numberOf(objectOf(info['total_token_usage'])['total_tokens']);
    const usage = openaiUsage(info['last_token_usage'])?.usage;
    const { latest } = this.#items;
    if (usage === undefined || latest === undefined || (total !== undefined && total === this.#totalTokens)) {
      this.#recorder.notes.add('skipped-line', "'event_msg/token_count' without usage of another response", entry.line);
      return;
    }
    this.#totalTokens = total;
    latest.count(entry, this.#model, usage);
    this.#items.endResponse();
  }

  #compacted(payload: JsonObject, entry: Entry): void {
    this.#items.endResponse();
    const summary = textOf(payload['message']);
    this.#recorder.compaction(entry, {
      summary,
      replacementItems: listOf(payload['replacement_history']).length,
    });
  }
}

/**
 * Items of the OpenAI Responses API: a list of them, `{ input, instructions?, tools? }`, or JSON Lines of items (as early
 * Codex CLI wrote them, with a header line).
 */
export const openAIResponses = singleSession(
  'openai-responses',
  ({ document, head }) =>
    document === undefined ? head.some(isResponsesItem) : itemsOf(document).some(isResponsesItem),
  async (recorder, source) => {
    const { notes, document } = source;
    const items = new ResponsesItems(recorder, () => 'user');
    if (document === undefined) {
      for await (const { value, line } of source.records()) {
        const item = objectOf(value);
        if (isItemLike(item)) items.read(item, { id: `line-${line}`, line, timestamp: item['timestamp'] });
        else notes.add('unknown-line-type', 'a line that is no item was left out', line);
      }
    } else {
      const beside = objectOf(document);
      const tools = toolDefinitions(beside['tools'], notes);
      const instructions = textOf(beside['instructions']) ?? '';
      if (instructions !== '' || tools.length > 0) recorder.systemPrompt({ id: 'instructions' }, instructions, tools);
      for (const [index, item] of itemsOf(document).entries()) items.read(objectOf(item), { id: `item-${index}` });
    }
  },
);

function itemsOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return [];
  return [...listOf(document['input']), ...listOf(document['output'])];
}

function isItemLike(value: JsonObject): boolean {
  return isResponsesItem(value) || value['type'] === 'message' || (value['type'] === undefined && 'role' in value);
}

const compactions: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/**
 * Reads the items of the OpenAI Responses API from rollouts and request inputs. Items have no response id, so consecutive
 * items of the model form one response.
 */
class ResponsesItems {
  readonly #recorder: SessionRecorder;
  readonly #sourceOf: (text: string) => 'user' | 'environment';
  #open: ResponseDraft | undefined;
  #latest: ResponseDraft | undefined;

  constructor(recorder: SessionRecorder, sourceOf: (text: string) => 'user' | 'environment') {
    this.#recorder = recorder;
    this.#sourceOf = sourceOf;
  }

  /** The latest response. A log reports its usage after it. */
  get latest(): ResponseDraft | undefined {
    return this.#latest;
  }

  /** Ends the current response. The next item of the model starts a new response. */
  endResponse(): void {
    this.#open = undefined;
  }

  /** Ends what was read before: usage that follows is of none of its responses. */
  endHistory(): void {
    this.#open = undefined;
    this.#latest = undefined;
  }

  read(item: JsonObject, entry: Entry): void {
    if (compactions.has(item['type'])) {
      this.endResponse();
      this.#recorder.compaction(entry, {});
      return;
    }
    const message = readResponsesItem(item);
    if (message.role === 'assistant') this.#open ??= this.#latest = this.#recorder.response(entry);
    else if (message.role !== undefined) this.endResponse();
    this.#recorder.record(entry, message, { response: this.#open, sourceOf: this.#sourceOf });
  }
}

/** True for a type of item that only the Responses API has. */
function isResponsesItem(value: unknown): boolean {
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
