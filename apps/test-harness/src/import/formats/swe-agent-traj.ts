import { contentParts, plainText } from '../content-parts.js';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import type { Entry } from '../session-recorder.js';
import { fencedCommand, TextModeTurns } from './text-mode-turns.js';

const toolName = 'shell';

/**
 * SWE-agent's trajectories. `history` is what the model was sent and is read; `trajectory` repeats it and is read only
 * where there is no history.
 */
export const sweAgentTraj: LogFormat = {
  name: 'swe-agent-traj',

  recognise: ({ document }) =>
    isObject(document) &&
    (hasAgentMessages(document['history']) ||
      listOf(document['trajectory']).some((step) => isObject(step) && 'action' in step && 'observation' in step)),

  read: readTraj,
};

async function* readTraj(source: LogSource): AsyncGenerator<ImportedSession> {
  const document = objectOf(source.document);
  const turns = new TextModeTurns(source.notes);
  const history = listOf(document['history']);
  if (history.length > 0) {
    for (const [index, message] of history.entries())
      readMessage(objectOf(message), { id: `message-${index}` }, turns, source);
  } else {
    for (const [index, step] of listOf(document['trajectory']).entries()) readStep(objectOf(step), index, turns);
  }
  yield { name: source.name, events: turns.finish() };
}

function readMessage(message: JsonObject, entry: Entry, turns: TextModeTurns, { notes }: LogSource): void {
  const content = contentParts(message['content'], (type) =>
    notes.add('unsupported-content', `a part of type '${type}' was kept as text`),
  );
  switch (message['role']) {
    case 'system':
      turns.recorder.instructions(entry, content);
      return;
    case 'user':
      // A demonstration shows the work of another run; the user never said it.
      if (message['is_demo'] === true) turns.recorder.message(entry, content, 'environment');
      else turns.user(entry, content);
      return;
    case 'assistant':
      readAssistant(message, entry, turns);
      return;
    case 'tool':
      turns.recorder.result(entry, {
        callId: textOf(listOf(message['tool_call_ids'])[0]) ?? textOf(message['tool_call_id']),
        content,
      });
      return;
    default:
      notes.add('unknown-line-type', `messages of role '${String(message['role'])}' are not known and were left out`);
  }
}

function readAssistant(message: JsonObject, entry: Entry, turns: TextModeTurns): void {
  const text = plainText(message['content']);
  const calls = listOf(message['tool_calls']).map(objectOf);
  if (calls.length === 0) {
    turns.assistant(entry, textTurn(message, text));
    return;
  }
  const response = turns.recorder.response(entry);
  if (text !== '') response.thought.push({ type: 'text', text });
  for (const [index, call] of calls.entries()) {
    const called = objectOf(call['function']);
    turns.recorder.call(response, entry, {
      id: textOf(call['id']) ?? `call-of-${entry.id}-${index}`,
      name: textOf(called['name']) ?? 'unknown',
      input: called['arguments'],
    });
  }
}

/** The program parsed the text already and logged what it made of it; older files hold the text alone. */
function textTurn(message: JsonObject, text: string): { thought: string; calls: { name: string; input: unknown }[] } {
  const action = textOf(message['action'])?.trim();
  if (action === undefined || action === '') {
    const { thought, calls } = fencedCommand(text, toolName);
    return { thought, calls: [...calls] };
  }
  return {
    thought: textOf(message['thought'])?.trimEnd() ?? '',
    calls: [{ name: toolName, input: { command: action } }],
  };
}

function readStep(step: JsonObject, index: number, turns: TextModeTurns): void {
  turns.assistant({ id: `step-${index}` }, textTurn(step, textOf(step['response']) ?? ''));
  turns.user(
    { id: `step-${index}-result` },
    contentParts(step['observation'], () => undefined),
  );
}

function hasAgentMessages(history: unknown): boolean {
  return listOf(history).some(
    (message) => isObject(message) && 'role' in message && ('agent' in message || 'message_type' in message),
  );
}
