import { fileEventStore } from '@palimpsest/events/file';
import { pricedCondenser } from '@palimpsest/condensers';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { anthropicMessages, condensedHistory } from './index.js';

const model = { contextWindow: 1_000_000, prices: { read: 0.1, write: 1.25 } };

function conversation(steps: number) {
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: 'Read the files of the shop.' }];
  for (let step = 1; step <= steps; step++) {
    const id = `toolu_${step}`;
    messages.push({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { file: step } }] });
    const content = `export const price${step} = 9.5;\n`.repeat(120);
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
  }
  return messages;
}

const historyIn = (directory: string) =>
  condensedHistory({
    condenser: pricedCondenser(),
    codec: anthropicMessages(),
    ...model,
    store: fileEventStore({ directory }),
  });

const newFolder = () => mkdtempSync(path.join(tmpdir(), 'asked-'));

it('condenses now because a person asks, where no price would', async () => {
  const history = historyIn(newFolder());
  const messages = conversation(30);

  const before = await history.fit(messages.slice(0, 21));
  expect(before.state).toBe('untouched');

  const asked = await history.fit(messages.slice(0, 21), { condense: 'now', focus: 'prices' });
  expect(asked.condensations).toHaveLength(1);
  expect(asked.tokensAfter).toBeLessThan(asked.tokensBefore);
  expect(asked.events.filter(({ type }) => type === 'condensation-request')).toMatchObject([{ focus: 'prices' }]);

  const next = await history.fit(messages.slice(0, 23));
  expect(next.condensations).toEqual([]);
  expect(next.messages.slice(0, asked.messages.length)).toEqual(asked.messages);
});

it('has nothing to condense in a list of one message, and says so', async () => {
  const { condensations, reports, state } = await historyIn(newFolder()).fit(conversation(0), { condense: 'now' });

  expect(state).toBe('untouched');
  expect(condensations.filter(({ forgottenEventIds }) => forgottenEventIds.length > 0)).toEqual([]);
  expect(reports).toMatchObject([{ outcome: 'unavailable' }]);
});

it('takes a condensation back, in later lists and in another process', async () => {
  const directory = newFolder();
  const history = historyIn(directory);
  const messages = conversation(30);
  const asked = await history.fit(messages.slice(0, 21), { condense: 'now' });
  const [made] = asked.condensations;

  expect(await history.revert(made?.id ?? '', asked)).toBe(true);
  expect(await history.revert(made?.id ?? '', await history.fit(messages.slice(0, 21), { condense: false }))).toBe(
    false,
  );
  expect(await history.revert('unknown', asked)).toBe(false);

  for (const reader of [history, historyIn(directory)]) {
    const { state, messages: sent } = await reader.fit(messages.slice(0, 23), { condense: false });
    expect(state).toBe('untouched');
    expect(sent).toEqual(messages.slice(0, 23));
  }
});

it('keeps the condensation in a list that branches off before it was taken back', async () => {
  const history = historyIn(newFolder());
  const messages = conversation(30);
  const asked = await history.fit(messages.slice(0, 21), { condense: 'now' });
  const later = await history.fit(messages.slice(0, 27), { condense: false });
  await history.revert(asked.condensations[0]?.id ?? '', later);

  const branch = [
    ...messages.slice(0, 21),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'More.' },
  ];
  expect((await history.fit(branch, { condense: false })).state).toBe('condensed');
});
