import { readChatMessage } from '@palimpsest/llm-adapters/wire';
import { plainText } from '../content-parts.js';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { recordMessage } from '../record-message.js';
import type { Entry } from '../entry.js';
import { fencedCommand, TextModeTurns } from './text-mode-turns.js';

const toolName = 'shell';

/**
 * Trajectories of SWE-agent. `history` holds what the model was sent. `trajectory` repeats it and is read only if there is
 * no history.
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
  const { recorder } = turns;
  const isTextMode = listOf(message['tool_calls']).length === 0;
  if (message['role'] === 'assistant' && isTextMode) {
    turns.assistant(entry, textTurn(message, plainText(message['content'])));
  } else if (message['role'] === 'user' && message['is_demo'] !== true) {
    turns.user(entry, recorder.parts(entry, message['content']));
  } else {
    const callId = textOf(listOf(message['tool_call_ids'])[0]) ?? message['tool_call_id'];
    // A demonstration shows another run. The user did not write it.
    const place = { entry, recorder, notes, sourceOf: () => 'environment' as const };
    recordMessage(readChatMessage({ ...message, tool_call_id: callId }), place);
  }
}

/** Newer files contain the parsed text. Older files contain only the text itself. */
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
  const entry = { id: `step-${index}-result` };
  turns.user(entry, turns.recorder.parts(entry, step['observation']));
}

function hasAgentMessages(history: unknown): boolean {
  return listOf(history).some(
    (message) => isObject(message) && 'role' in message && ('agent' in message || 'message_type' in message),
  );
}
