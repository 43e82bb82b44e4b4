import { addressOf, parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { condenseUntilSettled } from './condense-until-settled.js';
import { condensation, cutProtected, View, ViewProjection, withCutWords } from '../index.js';

const long = (name: string, words: number) => `${name} begins. ${'word '.repeat(words)}${name} ends.`;

const shown = (view: View, id: string) => JSON.stringify(view.events.at(view.indexOf(id) ?? -1));

function task() {
  const log = logBuilder();
  log.system(long('Instructions', 900));
  const first = log.user(long('First', 1_000));
  log.call('read', {}, long('A', 100));
  const middle = log.user([
    { type: 'text', text: long('Middle', 2_000) },
    { type: 'image', url: 'data:image/png;base64,AA==' },
    { type: 'text', text: 'And that is all.' },
  ]);
  const short = log.user('Be quick.');
  log.call('read', {}, long('B', 100));
  const latest = log.user(long('Latest', 1_000));
  log.call('read');
  return { log, first, middle, short, latest };
}

test('messages that wait for an answer are cut with a condensation, if they are more than a quarter of the window', () => {
  const { log, first, middle, short, latest } = task();
  const view = View.fromEvents(log.events);
  const made = condensation({ view, end: 4, summary: 'S' });
  expect(withCutWords(view, made, undefined)).toBe(made);
  expect(withCutWords(view, made, 100_000)).toBe(made);
  const cut = withCutWords(view, made, 14_000);
  expect(cut.forgottenEventIds).toBe(made.forgottenEventIds);
  expect(parseEvent(JSON.parse(JSON.stringify(cut)))).toEqual(cut);
  expect(cut.redactions?.map(({ eventId }) => eventId)).toEqual([middle.id]);
  const after = View.fromEvents([...log.events, cut]);
  expect(after.notes.length).toBe(0);
  const text = shown(after, middle.id);
  for (const part of ['Middle begins.', 'image/png', 'And that is all.', addressOf(middle.id)])
    expect(text).toContain(part);
  for (const { id } of [first, short, latest]) expect(shown(after, id)).toBe(shown(view, id));
  const words = [first, middle, short, latest].map(({ id }) => after.indexOf(id) ?? -1);
  expect(words.reduce((sum, index) => sum + after.tokens(index, index + 1), 0)).toBeLessThanOrEqual(3_550);
});

test('what is protected and does not fit is cut, the largest first, and again where the window is smaller', () => {
  const { log, first, middle, latest } = task();
  const view = View.fromEvents(log.events);
  expect(cutProtected(view, 100_000)).toBeUndefined();
  const once = cutProtected(view, 4_500);
  expect(once?.redactions?.map(({ eventId }) => eventId)).toEqual([middle.id]);
  if (once === undefined) return;
  const projection = new ViewProjection();
  for (const event of [...log.events, once]) projection.append(event);
  const twice = cutProtected(projection.view, 1_900, { createEvent: log.create });
  expect(twice?.redactions?.length).toBe(3);
  if (twice === undefined) return;
  projection.append(twice);
  for (const [id, name] of [
    [first.id, 'First'],
    [middle.id, 'Middle'],
    [latest.id, 'Latest'],
  ] as const) {
    const text = shown(projection.view, id);
    expect(text.split(addressOf(id))).toHaveLength(2);
    expect(text).toContain(`${name} begins.`);
    expect(projection.view.original(id)).toEqual(log.events.find((event) => event.id === id));
  }
  expect(shown(projection.view, 'event-1')).toContain('Instructions ends.');
});

test('a condenser may not cut what is protected, and what a text does not fit changes nothing', async () => {
  const { log, middle, short } = task();
  const cutting = (eventId: string) =>
    log.create('condensation', { forgottenEventIds: [], redactions: [{ eventId, cut: { head: 9, tail: 9 } }] });
  const reports: string[] = [];
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const condenser = { name: 'cutting', condense: () => cutting(middle.id) };
  const view = await condenseUntilSettled(condenser, projection, { report: ({ outcome }) => reports.push(outcome) });
  expect(shown(view, middle.id)).toBe(shown(View.fromEvents(log.events), middle.id));
  expect(reports).toEqual(['refused-protected']);
  const after = View.fromEvents([...log.events, cutting(short.id)]);
  expect([...after.notes].map(({ eventId }) => eventId)).toHaveLength(1);
  expect(shown(after, short.id)).toContain('Be quick.');
});

test('a host that condenses until it is settled cuts them with the condensation', async () => {
  const { log, middle } = task();
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const condenser = {
    name: 'forgetting',
    condense: (view: View) => (view.condensations.length > 0 ? view : condensation({ view, end: 4, summary: 'S' })),
  };
  const view = await condenseUntilSettled(condenser, projection, { contextWindow: 14_000 });
  expect(shown(view, middle.id)).toContain(addressOf(middle.id));
});
