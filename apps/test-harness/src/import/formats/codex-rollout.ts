import { openaiUsage } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, numberOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';
import { ResponsesItems } from './responses-items.js';

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
 * repeats it for display and adds the usage of each response.
 */
export const codexRollout: LogFormat = {
  name: 'codex-rollout',

  recognise: ({ head }) =>
    head.some((line) => isObject(line) && lineTypes.has(line['type']) && isObject(line['payload'])),

  read: readCodex,
};

async function* readCodex(source: LogSource): AsyncGenerator<ImportedSession> {
  const rollout = new Rollout(source);
  for await (const { value, line } of source.records()) {
    const fields = objectOf(value);
    rollout.read(fields, { id: `line-${line}`, line, timestamp: fields['timestamp'] });
  }
  yield { name: source.name, events: rollout.finish() };
}

class Rollout {
  readonly #source: LogSource;
  readonly #recorder: SessionRecorder;
  readonly #items: ResponsesItems;
  #model = 'unknown';
  #totalTokens: number | undefined;

  constructor(source: LogSource) {
    this.#source = source;
    this.#recorder = new SessionRecorder(source.notes);
    this.#items = new ResponsesItems({
      recorder: this.#recorder,
      notes: source.notes,
      sourceOf: (text) => (programText.test(text) ? 'environment' : 'user'),
    });
  }

  finish(): ImportedSession['events'] {
    return this.#recorder.finish();
  }

  read(fields: JsonObject, entry: Entry): void {
    const payload = objectOf(fields['payload']);
    const { notes } = this.#source;
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
        notes.add(
          'unknown-line-type',
          `lines of type '${String(fields['type'])}' are not known and were left out`,
          entry.line,
        );
    }
  }

  #sessionMeta(payload: JsonObject, entry: Entry): void {
    const instructions = textOf(objectOf(payload['base_instructions'])['text']) ?? textOf(payload['instructions']);
    if (instructions === undefined) return;
    if (this.#recorder.isEmpty) this.#recorder.systemPrompt(entry, instructions);
    // A resumed or forked rollout begins with the head of the original rollout.
    else
      this.#source.notes.add(
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
      this.#source.notes.add('skipped-line', "'event_msg/token_count' without usage of another response", entry.line);
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
