import { InvalidEventError, parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { extractiveSummaryCondenser } from './extractive-summary.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';
import { observationMaskingCondenser } from './observation-masking.js';
import { pin, unpin } from './pin.js';
import { recentEventsCondenser } from './recent-events.js';

const words = 'word '.repeat(40);

/** A session whose fifth step read the requirements. */
function session(text = words) {
  const log = logBuilder();
  log.system();
  log.user('Build it.');
  const steps = Array.from({ length: 20 }, (_, index) =>
    log.batch([
      { name: 'read', input: { path: `file-${index}` }, result: `${index} ${text}` },
      { name: 'list', result: text },
    ]),
  );
  const [read, list] = steps[4]?.results ?? [];
  if (read === undefined || list === undefined) throw new Error('no fifth step');
  return { log, read, unit: [...(steps[4]?.actions ?? []), read, list] };
}

describe.each([
  llmSummarizingCondenser({ llm: scriptedLLM({ script: () => 'S' }), maxSize: 20 }),
  extractiveSummaryCondenser({ maxSize: 20 }),
])('$name', (condenser) => {
  const forgotten = async (log: ReturnType<typeof logBuilder>) => {
    const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
    if (!isCondensation(result)) throw new Error('it returned a view');
    return { result, after: View.fromEvents([...log.events, result]) };
  };

  test('keeps a pinned result with its call and the rest of its batch', async () => {
    const { log, read, unit } = session();
    log.add(pin(read.id));
    const { after } = await forgotten(log);
    for (const { id } of unit) expect(after.indexOf(id)).toBeDefined();
    expect(after.leftOut.size).toBe(0);
    expect(messageViolations(after.toMessages())).toEqual([]);
    expect(JSON.stringify(after.toMessages())).toContain(`4 ${words.trim()}`);
  });

  test('forgets it when it is not pinned, and when it is no more', async () => {
    const { log, read } = session();
    expect((await forgotten(log)).result.forgottenEventIds).toContain(read.id);
    log.add(pin(read.id), unpin(read.id));
    expect((await forgotten(log)).result.forgottenEventIds).toContain(read.id);
  });
});

test('recentEvents shows what is pinned', async () => {
  const { log, read } = session();
  log.add(pin([read.id]));
  const result = await recentEventsCondenser({ maxEvents: 10 }).condense(View.fromEvents(log.events), {
    report: () => {},
  });
  expect(isCondensation(result) ? undefined : result.indexOf(read.id)).toBeDefined();
});

test('observationMasking leaves what is pinned as it is', async () => {
  const { log, read } = session(words.repeat(10));
  const masked = async () => {
    const condenser = observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 100 });
    const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
    return isCondensation(result) ? (result.redactions ?? []).map(({ eventId }) => eventId) : [];
  };
  expect(await masked()).toContain(read.id);
  log.add(pin(read.id));
  const ids = await masked();
  expect(ids.length).toBeGreaterThan(10);
  expect(ids).not.toContain(read.id);
});

test('the events are plain, survive JSON, and no model reads them', () => {
  const { log, read } = session();
  const event = pin([read.id, 'event-1'], { source: 'environment', reason: 'requirements', createEvent: log.create });
  expect(event).toMatchObject({
    type: 'condensers/pin',
    source: 'environment',
    eventIds: [read.id, 'event-1'],
    reason: 'requirements',
  });
  expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  expect(unpin('a')).toMatchObject({ type: 'condensers/unpin', source: 'user', eventIds: ['a'] });
  const before = View.fromEvents(log.events).toMessages();
  expect(View.fromEvents([...log.events, event]).toMessages()).toEqual(before);
});

test('an id that is none is refused', () => {
  expect(() => pin('')).toThrow(InvalidEventError);
  expect(() => pin(['a', 3 as unknown as string])).toThrow("'eventIds.1'");
});
