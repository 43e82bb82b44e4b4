import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { quotesOf } from './quotes.js';
import { recordedSession } from './recorded-session.js';

const line = 'amber valley bridges seven rivers before quiet winters';

/** A result that holds some text, other calls, and a call whose arguments hold some of it. */
function quoted(
  source: string,
  argument: string,
  between = 4,
  more: (log: ReturnType<typeof logBuilder>) => void = () => undefined,
) {
  const log = logBuilder();
  log.user('Go on.');
  log.call('open', {}, source);
  for (let step = 0; step < between; step++) log.call('wait', { step }, `nothing ${step} happened`);
  more(log);
  log.call('write', { text: argument }, 'done');
  const session = recordedSession(log.events);
  return { quotes: quotesOf(session).flat(), session };
}

test('a run of words that only an old result holds is a quotation, as far as it goes', () => {
  const { quotes } = quoted(`first\nthe ${line} of old\nlast`, `Say: ${line}!`);
  expect(quotes).toEqual([{ text: line, kind: 'identifier', sources: [2], mentions: [], distance: 5 }]);
});

test('it ends where the line ends, and what has few words in common is none', () => {
  expect(quoted('amber\nvalley\nbridges', 'amber valley bridges').quotes).toEqual([]);
  expect(quoted('the amber stone', 'the amber lamp').quotes).toEqual([]);
});

test('lines that stand together are a quotation each', () => {
  const other = 'copper lanterns under nine slow northern clouds';
  const { quotes } = quoted(`${line}\n${other}`, `${line}\n${other}`);
  expect(quotes.map(({ text }) => text).sort()).toEqual([line, other].sort());
});

test('what is near, given, or said by the agent not long before is explained by that', () => {
  expect(quoted(line, line, 0).quotes).toEqual([]);
  const again = quoted(line, line, 4, (log) => void log.agent(`I see: ${line}.`));
  expect(again.quotes).toEqual([]);
  const log = logBuilder();
  log.user(`Write: ${line}.`);
  log.call('open', {}, line);
  for (let step = 0; step < 4; step++) log.call('wait', { step }, 'nothing');
  log.call('write', { text: line }, 'done');
  expect(quotesOf(recordedSession(log.events)).flat()).toEqual([]);
});

test('a result that repeats its own call is no source, and an older mention is named', () => {
  const log = logBuilder();
  log.user('Go on.');
  log.call('echo', { text: line }, line);
  for (let step = 0; step < 5; step++) log.call('wait', { step }, `nothing ${step}`);
  log.call('write', { text: line }, 'done');
  expect(quotesOf(recordedSession(log.events)).flat()).toEqual([]);
  const { quotes } = quoted(line, line, 5, (built) => {
    built.agent(`I see: ${line}.`);
    for (let step = 0; step < 5; step++) built.call('rest', { step }, `still ${step}`);
  });
  expect(quotes).toHaveLength(1);
  expect(quotes[0]?.mentions).toHaveLength(1);
});

test('a passage of ten words is told from a name, and what stands in many events is nobody’s', () => {
  const long = `${line} and then nobody ever crosses them again`;
  expect(quoted(long, long).quotes[0]).toMatchObject({ kind: 'anchor', text: long });
  const everywhere = quoted(line, line, 4, (log) => {
    for (let step = 0; step < 40; step++) log.call('wait', { step: 100 + step }, step < 8 ? line : `nothing ${step}`);
  });
  expect(everywhere.quotes).toEqual([]);
});
