import { openaiUsage, readChatMessage } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { recordMessage } from '../record-message.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';
import { toolDefinitions } from '../tool-definitions.js';
import { conversationName } from './conversations.js';

/**
 * Runs of tau2-bench: `{ info, simulation }` or `{ info, simulations }`. The tools of the simulated user are left out because
 * the agent never sees them. The policy of the domain is the system prompt.
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
    const tools = toolDefinitions(environment['tool_defs'], source.notes);
    if (policy !== '' || tools.length > 0)
      recorder.systemPrompt({ id: 'policy', timestamp: run['start_time'] }, policy, tools);
    for (const [position, message] of listOf(run['messages']).entries()) {
      const fields = objectOf(message);
      readMessage(fields, { id: `message-${position}`, timestamp: fields['timestamp'] }, { recorder, source, model });
    }
    yield {
      name: conversationName(source.name, { name: textOf(run['id']) }, index, runs.length === 1),
      events: recorder.finish(),
    };
  }
}

function readMessage(
  message: JsonObject,
  entry: Entry,
  {
    recorder,
    source: { notes },
    model,
  }: { readonly recorder: SessionRecorder; readonly source: LogSource; readonly model: string },
): void {
  if (message['role'] === 'tool' && message['requestor'] === 'user') {
    notes.add('skipped-line', "the results of the simulated user's own calls are not seen by the agent");
    return;
  }
  if (message['role'] === 'user' && listOf(message['tool_calls']).length > 0) {
    notes.add('skipped-line', "the simulated user's own calls are not seen by the agent");
    if (textOf(message['content']) === undefined) return;
  }
  // The id of a result is the id of its call.
  const result = { ...message, tool_call_id: message['id'], is_error: message['error'] === true };
  const read = readChatMessage(message['role'] === 'tool' ? result : message);
  const response = recordMessage(read, { entry, recorder, notes });
  response?.count(entry, model, openaiUsage(message['usage'])?.usage);
}

function simulationsOf(document: JsonObject): readonly JsonObject[] {
  const runs = Array.isArray(document['simulations']) ? document['simulations'] : [document['simulation']];
  return runs.filter(isObject);
}
