import type { Event } from '@palimpsest/events';

const timestamp = '2026-01-01T00:00:00.000Z';

function user(index: number): Event {
  return {
    type: 'message',
    id: `user-${index}`,
    timestamp,
    source: 'user',
    role: 'user',
    content: [{ type: 'text', text: `Question ${index}: what does the module do, and where is it tested?` }],
  };
}

function action(index: number, llmResponseId: string): Event {
  return {
    type: 'action',
    id: `action-${index}`,
    timestamp,
    source: 'agent',
    thought: [],
    toolCall: { id: `call-${index}`, name: 'read_file', arguments: `{"path":"src/module-${index}.ts"}` },
    llmResponseId,
  };
}

function observation(index: number, characters: number): Event {
  const text = `export const value${index} = ${index}; `.padEnd(characters, 'x');
  return {
    type: 'observation',
    id: `observation-${index}`,
    timestamp,
    source: 'environment',
    toolName: 'read_file',
    toolCallId: `call-${index}`,
    actionId: `action-${index}`,
    content: [{ type: 'text', text }],
  };
}

/** The log of a typical agent: a user message, then ten calls with results, repeated. Unit of `characters`: per result. */
export function ordinaryLog(length: number, characters = 200): readonly Event[] {
  const log: Event[] = [];
  for (let index = 0; log.length < length; index++) {
    if (index % 10 === 0) log.push(user(index));
    log.push(action(index, `response-${index}`), observation(index, characters));
  }
  log.length = length;
  return log;
}

/**
 * A worst-case log: one model response continues after each message of the framework. Its unit never ends, so every cut point
 * after its start can still be invalidated.
 */
export function returningResponseLog(length: number): readonly Event[] {
  const log: Event[] = [];
  for (let index = 0; log.length < length; index++) {
    const note: Event = { ...user(index), source: 'environment' };
    log.push(action(index, 'response'), observation(index, 20), note);
  }
  log.length = length;
  return log;
}
