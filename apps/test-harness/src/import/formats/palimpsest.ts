import { InvalidEventError, isLLMConvertible, parseEvent } from '@palimpsest/events';
import type { Event, InternalEvent } from '@palimpsest/events';
import { logReadError } from '../../harness-error.js';
import { isObject, textOf } from '../log/json.js';
import type { ImportedSession, LogFormat, LogSource } from '../log/session.js';

const internalTypes: Readonly<Record<InternalEvent['type'], true>> = {
  condensation: true,
  'condensation-request': true,
  'condensation-attempt': true,
  'condensation-revert': true,
  'llm-usage': true,
  'broken-response': true,
  pause: true,
  'conversation-state-update': true,
  'conversation-error': true,
};

const sources: ReadonlySet<unknown> = new Set(['user', 'agent', 'environment']);

/**
 * Palimpsest's own log: one event per line, as the file store writes it. The log is read strictly: a torn last line is
 * noted, and any other line that is not an event is an error that names the line.
 */
export const palimpsestJsonl: LogFormat = {
  name: 'palimpsest-jsonl',

  recognise: ({ head }) =>
    isObject(head[0]) &&
    textOf(head[0]['type']) !== undefined &&
    textOf(head[0]['id']) !== undefined &&
    textOf(head[0]['timestamp']) !== undefined &&
    (sources.has(head[0]['source']) || (textOf(head[0]['source']) !== undefined && isOurs(textOf(head[0]['type'])))) &&
    // Events of OpenHands have all of these fields too.
    head[0]['kind'] === undefined &&
    head[0]['action'] === undefined &&
    head[0]['observation'] === undefined,

  read: readPalimpsest,
};

async function* readPalimpsest(source: LogSource): AsyncGenerator<ImportedSession> {
  const events: Event[] = [];
  const lineOfId = new Map<string, number>();
  let whole = 0;
  for await (const { value, line, continues } of source.records({ strict: true })) {
    const event = eventOf(value, source.file, line);
    const first = lineOfId.get(event.id);
    if (first === undefined) {
      lineOfId.set(event.id, line);
    } else {
      // The duplicate is kept: a view skips the second event and reports it.
      source.notes.add(
        'duplicate-event-id',
        `line ${line} has the id of line ${first} ('${event.id}'); a view ignores it`,
        line,
      );
    }
    if (!isKnown(event)) {
      source.notes.add('unknown-line-type', `events of type '${event.type}' are kept, and no model reads them`, line);
    }
    events.push(event);
    if (!continues) whole = events.length;
  }
  if (whole < events.length) {
    // An append is valid only if its last line exists. The file store ignores incomplete appends too.
    const torn = events.splice(whole).length;
    source.notes.add('torn-last-line', `${torn} events of an append whose last line is missing were left out`);
  }
  noteUnmatched(events, source);
  yield { name: source.name, events: Object.freeze(events) };
}

/** True for an event type of this version. */
function isOurs(type: string | undefined): boolean {
  return type !== undefined && (isLLMConvertible({ type }) || Object.hasOwn(internalTypes, type));
}

/** True for an event type of this version and for a custom type of a package. */
function isKnown({ type }: Event): boolean {
  return isOurs(type) || type.includes('/');
}

function eventOf(value: unknown, file: string, line: number): Event {
  try {
    return parseEvent(value);
  } catch (error) {
    if (!InvalidEventError.isInstance(error)) throw error;
    throw logReadError({ file, line, reason: error.message, cause: error });
  }
}

/** Notes calls and results without a counterpart. A view decides how to treat them. */
function noteUnmatched(events: readonly Event[], { notes }: LogSource): void {
  const open = new Map<string, number>();
  const answered = new Set<string>();
  for (const event of events) {
    if (event.type === 'action') {
      open.set(event.toolCall.id, (open.get(event.toolCall.id) ?? 0) + 1);
    } else if (
      event.type === 'observation' ||
      event.type === 'agent-error' ||
      event.type === 'user-reject-observation'
    ) {
      const { toolCallId } = event;
      const calls = open.get(toolCallId) ?? 0;
      if (calls > 0) open.set(toolCallId, calls - 1);
      else if (answered.has(toolCallId)) notes.add('duplicate-result', `another result for the call '${toolCallId}'`);
      else notes.add('result-without-call', `a result for '${toolCallId}', which was not called before`);
      answered.add(toolCallId);
    }
  }
  for (const [id, calls] of open) if (calls > 0) notes.add('call-without-result', `the call '${id}' has no result`);
}
