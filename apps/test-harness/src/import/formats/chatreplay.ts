import { openaiUsage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { plainText, singleSession, toolDefinitions } from '../log/recorder.js';
import type { SessionRecorder } from '../log/recorder.js';
import type { Entry } from '../log/session.js';

/**
 * Chat exports of VS Code: prompts, each with its requests and tool calls. The calls of a request are listed under the next
 * prompt, which then repeats the text of the previous prompt.
 */
export const chatReplay = singleSession(
  'chatreplay',
  ({ document }) =>
    isObject(document) &&
    listOf(document['prompts']).some(
      (prompt) => isObject(prompt) && 'prompt' in prompt && Array.isArray(prompt['logs']),
    ),
  (recorder, { document }) => {
    const reader = new ReplayReader(recorder);
    let earlier: unknown;
    for (const [index, value] of listOf(objectOf(document)['prompts']).entries()) {
      const prompt = objectOf(value);
      const logs = listOf(prompt['logs']).map(objectOf);
      const goesOn =
        prompt['prompt'] === earlier && logs.find((log) => log['kind'] !== 'element')?.['kind'] === 'toolCall';
      reader.prompt(prompt, logs, index, goesOn);
      earlier = prompt['prompt'];
    }
  },
);

class ReplayReader {
  readonly #recorder: SessionRecorder;
  #response: ResponseDraft | undefined;

  constructor(recorder: SessionRecorder) {
    this.#recorder = recorder;
  }

  prompt(prompt: JsonObject, logs: readonly JsonObject[], index: number, goesOn: boolean): void {
    const request = logs.find((log) => log['kind'] === 'request');
    if (this.#recorder.isEmpty && request !== undefined) this.#systemPrompt(request);
    if (!goesOn) {
      this.#response = undefined;
      const entry = { id: `prompt-${index}` };
      this.#recorder.message(entry, this.#recorder.parts(entry, prompt['prompt']), 'user');
    }
    for (const [position, log] of logs.entries()) {
      const entry: Entry = {
        id: `prompt-${index}-${position}`,
        timestamp: log['time'] ?? objectOf(log['metadata'])['startTime'],
      };
      if (log['kind'] === 'request') this.#request(log, entry);
      else if (log['kind'] === 'toolCall') this.#toolCall(log, entry);
      else if (log['kind'] === 'element')
        this.#recorder.notes.add('skipped-line', "'element' counts the tokens of a part of the prompt");
      else this.#recorder.notes.unknown(`logs of kind '${String(log['kind'])}'`);
    }
  }

  #systemPrompt(request: JsonObject): void {
    const first = objectOf(listOf(objectOf(request['requestMessages'])['messages'])[0]);
    // The editor stores roles as numbers; 0 is the system role.
    const text = first['role'] === 0 || first['role'] === 'system' ? plainText(first['content']) : '';
    const metadata = objectOf(request['metadata']);
    const tools = toolDefinitions(metadata['tools'], this.#recorder.notes);
    if (text !== '' || tools.length > 0) {
      this.#recorder.systemPrompt({ id: 'system', timestamp: metadata['startTime'] }, text, tools);
    }
  }

  #request(log: JsonObject, entry: Entry): void {
    const metadata = objectOf(log['metadata']);
    this.#response = this.#recorder.response(entry, textOf(metadata['requestId']));
    const text = plainText(objectOf(log['response'])['message']);
    if (text !== '') this.#response.say([{ type: 'text', text }]);
    this.#response.count(entry, metadata['model'], openaiUsage(metadata['usage'])?.usage);
  }

  #toolCall(log: JsonObject, entry: Entry): void {
    this.#response ??= this.#recorder.response(entry);
    // The editor appends its own counter to the id.
    const callId = (textOf(log['id']) ?? `call-of-${entry.id}`).replace(/__vscode-\d+$/, '');
    this.#recorder.call(this.#response, entry, {
      id: callId,
      name: textOf(log['tool']),
      arguments: receivedArguments(log['args']),
    });
    this.#recorder.result(entry, { callId, content: this.#recorder.parts(entry, log['response']) });
  }
}
