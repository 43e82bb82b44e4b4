import { contentParts } from '../content-parts.js';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../session-recorder.js';
import { toolDefinitions } from '../tool-definitions.js';
import { openAIUsage } from '../usage-of.js';
import { conversationName } from './conversations.js';

/**
 * tau2-bench's runs: `{ info, simulation }`, or `{ info, simulations }`. A simulated user has tools of its own, which the
 * agent never sees: they are left out. The domain's policy stands as the system prompt.
 */
export const tau2: LogFormat = {
  name: 'tau2',
  recognise: ({ document }) =>
    isObject(document) && simulationsOf(document).some((run) => Array.isArray(run['messages'])),
  read: readTau2,
};

async function* readTau2(source: LogSource): AsyncGenerator<ImportedSession> {
  const document = objectOf(source.document);
  const runs = simulationsOf(document);
  const info = objectOf(document['info']);
  const model = textOf(objectOf(info['agent_info'])['llm']) ?? 'unknown';
  for (const [index, run] of runs.entries()) {
    const recorder = new SessionRecorder(source.notes);
    const environment = objectOf(info['environment_info']);
    const policy = textOf(environment['policy']) ?? '';
    const tools = toolDefinitions(environment['tool_defs']);
    if (policy !== '' || tools.length > 0)
      recorder.systemPrompt({ id: 'policy', timestamp: run['start_time'] }, policy, tools);
    for (const [position, message] of listOf(run['messages']).entries()) {
      const fields = objectOf(message);
      readMessage(fields, { id: `message-${position}`, timestamp: fields['timestamp'] }, { recorder, source, model });
    }
    const found = { messages: [], beside: run, name: textOf(run['id']) };
    yield { name: conversationName(source.name, found, index, runs.length === 1), events: recorder.finish() };
  }
}

function readMessage(
  message: JsonObject,
  entry: Entry,
  {
    recorder,
    source,
    model,
  }: { readonly recorder: SessionRecorder; readonly source: LogSource; readonly model: string },
): void {
  const calls = listOf(message['tool_calls']).map(objectOf);
  const content = contentParts(message['content'], (type) =>
    source.notes.add('unsupported-content', `a part of type '${type}' was kept as text`),
  );
  switch (message['role']) {
    case 'user':
      if (calls.length > 0)
        source.notes.add('skipped-line', "the simulated user's own calls are not seen by the agent");
      if (calls.length === 0 || content.length > 0) recorder.message(entry, content, 'user');
      return;
    case 'tool':
      if (message['requestor'] === 'user') {
        source.notes.add('skipped-line', "the results of the simulated user's own calls are not seen by the agent");
        return;
      }
      recorder.result(entry, { callId: textOf(message['id']), content, isError: message['error'] === true });
      return;
    case 'assistant': {
      const response = recorder.response(entry);
      response.thought.push(...content);
      for (const [index, call] of calls.entries()) {
        recorder.call(response, entry, {
          id: textOf(call['id']) ?? `call-of-${entry.id}-${index}`,
          name: textOf(call['name']) ?? 'unknown',
          input: call['arguments'],
        });
      }
      const usage = openAIUsage(message['usage']);
      if (usage !== undefined) response.usage = { entry, model, usage };
      return;
    }
    case 'system':
      recorder.instructions(entry, content);
      return;
    default:
      source.notes.add(
        'unknown-line-type',
        `messages of role '${String(message['role'])}' are not known and were left out`,
      );
  }
}

function simulationsOf(document: JsonObject): readonly JsonObject[] {
  const runs = Array.isArray(document['simulations']) ? document['simulations'] : [document['simulation']];
  return runs.filter(isObject);
}
