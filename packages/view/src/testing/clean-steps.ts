import type { Redaction } from '@palimpsest/events';
import { condensation } from '../policy/condensation.js';
import { NoCondensationAvailableError } from '../errors.js';
import { condensationsInForce } from './call-history.js';
import type { LogWriter } from './log-writer.js';

/** Writes a turn as an agent does: a response with calls that are all answered, or with words that end the run. */
export function writeTurn(log: LogWriter): void {
  const { random } = log;
  log.startResponse();
  if (random.chance(0.25)) {
    log.assistantWords({ thinking: 0.3 });
    log.words('user');
    return;
  }
  const size = random.chance(0.3) ? random.between(2, 4) : 1;
  if (size > 1) log.count('parallel batch');
  const calls = Array.from({ length: size }, (_, index) => log.action({ thinking: index === 0 ? 0.4 : 0 }));
  const order = random.chance(0.4) ? random.shuffle(calls) : calls;
  if (order.some((call, index) => call !== calls[index])) log.count('results in another order');
  for (const call of order) log.answer(call);
}

/** Writes events that no model reads, or messages of the framework. */
export function writeAside(log: LogWriter): void {
  const { random, create } = log;
  log.count('internal event');
  switch (random.below(6)) {
    case 0:
      log.add(create('pause', {}));
      return;
    case 1:
      log.add(create('conversation-state-update', { key: 'status', value: 'running' }));
      return;
    case 2:
      log.add(create('condensation-attempt', { condenser: 'test', outcome: 'declined', reason: 'too few' }));
      return;
    case 3:
      log.count('condensation request');
      log.add(create('condensation-request', {}));
      return;
    case 4:
      log.count('custom event');
      log.add(create('acme/note', { source: 'environment', text: log.text(3) }));
      return;
    default:
      log.count('environment words');
      log.words('environment');
  }
}

/** Writes a condensation between cut points, with or without summary and redactions. Does nothing if the view allows none. */
export function writeCondensation(log: LogWriter): void {
  const { random, view } = log;
  const redactions = someRedactions(log);
  const start = random.below(view.events.length + 1);
  const withSummary = random.chance(0.6);
  try {
    const event = condensation({
      view,
      createEvent: log.create,
      start,
      end: random.chance(0.2) ? start : random.between(start, view.events.length),
      ...(withSummary ? { summary: log.text(8) } : {}),
      redactions,
    });
    log.count('condensation');
    if (event.summary !== undefined) log.count('summary');
    for (const { text } of event.redactions ?? []) {
      log.count(text === undefined ? 'redacted arguments' : 'redacted result');
    }
    log.add(event);
  } catch (error) {
    if (!NoCondensationAvailableError.isInstance(error)) throw error;
  }
}

function someRedactions(log: LogWriter): readonly Redaction[] {
  const { random, view } = log;
  if (random.chance(0.5)) return [];
  const answered = log.calls.filter(
    ({ action, result }) => view.indexOf(action.id) !== undefined && view.indexOf(result?.id ?? '') !== undefined,
  );
  return Array.from({ length: random.between(1, 3) }, () => random.pick(answered)).flatMap((call): Redaction[] => {
    if (call?.result === undefined) return [];
    if (random.chance(0.3)) return [{ eventId: call.action.id, arguments: '{"redacted":true}' }];
    return [{ eventId: call.result.id, text: `Response redacted: ${log.text(2)}` }];
  });
}

/** Reverts a condensation that is in force. */
export function writeRevert(log: LogWriter): void {
  const target = log.random.pick([...condensationsInForce(log.events)]);
  if (target === undefined) return;
  log.count('revert');
  log.add(log.create('condensation-revert', { condensationId: target.id }));
}
