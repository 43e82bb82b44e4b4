import type { Condensation, EventId, Redaction } from '@palimpsest/events';
import { protectedEventIds } from '../policy/protection.js';
import type { LogWriter } from './log-writer.js';

/** Writes an invalid condensation: any ids, any offset, any redactions. */
export function writeDirtyCondensation(log: LogWriter): void {
  const { random } = log;
  log.count('condensation');
  const forgottenEventIds = forgotten(log);
  log.add(
    log.create('condensation', {
      forgottenEventIds,
      ...(random.chance(0.6) ? summary(log) : {}),
      ...(random.chance(0.4) ? { redactions: redactions(log) } : {}),
    }),
  );
}

/** Writes a revert of a condensation that does not exist or is already reverted. */
export function writeRevertOfNothing(log: LogWriter): void {
  log.count('revert of nothing');
  const reverted = log.events.findLast((event) => event.type === 'condensation-revert')?.condensationId;
  const condensationId = reverted ?? log.someId() ?? 'no-such-event';
  log.add(log.create('condensation-revert', { condensationId }));
}

function forgotten(log: LogWriter): readonly EventId[] {
  const { random, view } = log;
  const ids = new Set<EventId>();
  const count = random.below(4);
  for (let times = 0; times < count; times++) {
    if (random.chance(0.4)) {
      const start = random.below(view.events.length + 1);
      for (const { id } of view.events.slice(start, start + random.below(10))) ids.add(id);
    } else {
      const id = random.chance(0.15)
        ? `no-such-event-${log.length}`
        : log.someId(random.chance(0.8) ? view.events : log.events);
      if (id !== undefined) ids.add(id);
    }
  }
  countForgotten(log, ids);
  return [...ids];
}

function countForgotten(log: LogWriter, ids: ReadonlySet<EventId>): void {
  if (ids.size === 0) log.count('empty condensation');
  const known = new Set(log.events.map(({ id }) => id));
  if ([...ids].some((id) => !known.has(id))) log.count('forgets unknown ids');
  if ([...protectedEventIds(log.view)].some((id) => ids.has(id))) log.count('forgets protected events');
  const inView = log.calls.filter(({ action }) => log.view.indexOf(action.id) !== undefined);
  for (const serial of new Set(inView.map((call) => call.serial))) {
    const calls = inView.filter((call) => call.serial === serial);
    const parts = calls.flatMap(({ action, result }) => (result === undefined ? [action.id] : [action.id, result.id]));
    const named = parts.filter((id) => ids.has(id)).length;
    if (named === 0) continue;
    const waiting = calls.some(({ result }) => result === undefined);
    if (waiting && serial === log.response.serial) log.count('forgets an open batch');
    else if (calls.some(({ action, result }) => result === undefined && ids.has(action.id))) {
      log.count('forgets an unanswered call');
    } else if (named < parts.length) log.count('forgets a part of a batch');
  }
}

function summary(log: LogWriter): Pick<Condensation, 'summary' | 'summaryOffset'> {
  const { random, view } = log;
  const { length } = view.events;
  if (random.chance(0.1)) return { summary: log.text() };
  const summaryOffset = random.chance(0.15) ? length + random.between(1, 50) : random.below(length + 1);
  if (summaryOffset > length) log.count('offset past the end');
  else if (!view.cutPoints.has(summaryOffset)) log.count('offset inside a batch');
  log.count('summary');
  return { summary: random.chance(0.1) ? ' ' : log.text(8), summaryOffset };
}

function redactions(log: LogWriter): readonly Redaction[] {
  const { random, view } = log;
  return Array.from({ length: random.between(1, 4) }, (): Redaction => {
    const eventId = (random.chance(0.8) ? log.someId(view.events) : log.someId()) ?? 'no-such-event';
    const event = view.original(eventId);
    const isCall = event?.type === 'action';
    const isResult = log.calls.some(({ result }) => result?.id === eventId);
    if (isCall) log.count('redacted arguments');
    else if (isResult) log.count('redacted result');
    else log.count('redaction that does not fit');
    return {
      eventId,
      ...(random.chance(0.7) || isResult ? { text: `Response redacted: ${log.text(2)}` } : {}),
      ...(random.chance(0.5) || isCall ? { arguments: '{"redacted":true}' } : {}),
    };
  });
}
