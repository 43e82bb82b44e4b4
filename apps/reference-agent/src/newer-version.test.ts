import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, Conversation } from '@palimpsest/agent';
import { createEvent, defineTool, isUserMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { protectedEventIds } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../test-support/folders.js';
import { openWire } from '../test-support/wire.js';
import { defaultCondenser } from './agent/condenser.js';

/**
 * A log that a newer version wrote, with sources, roles, parts, thinking, outcomes, risks and events that this version does not
 * know, and with blank lines. The agent goes on with it over the real SDKs and HTTP.
 */
const fixture = fileURLToPath(new URL('newer-version.jsonl', import.meta.url));
/** Stands in all of it that must not be sent. */
const marker = 'of another version';

test.each([
  ['Messages, thinking bound to its prefix', 'messages', 'claude-opus-5-5'],
  ['Messages, thinking of the latest turn', 'messages', 'claude-haiku-4-5'],
  ['Chat Completions', 'chat-completions', 'gpt-4o'],
  ['Responses', 'responses', 'gpt-4o'],
] as const)(
  '%s: an agent goes on with the log of a newer version, and the log keeps every byte of it',
  async (_, api, model) => {
    const { server, llm } = await openWire(api, model, (_body, index) =>
      index === 0 ? { calls: [{ id: 'call_new', name: 'look', input: {} }] } : { text: 'It is off.' },
    );
    const directory = await temporaryFolder();
    const file = join(directory, 'kettle.jsonl');
    await copyFile(fixture, file);
    const before = await readFile(file, 'utf8');
    const written = before.split('\n').filter((line) => line.trim() !== '');

    const look = defineTool({
      name: 'look',
      description: 'Looks at the kettle.',
      input: z.object({}),
      annotations: { readOnly: true, repeatable: true },
      execute: () => 'It is off.',
    });
    const agent = new Agent({ llm, tools: [look], condenser: defaultCondenser() });
    const store = fileEventStore({ directory });
    const conversation = await Conversation.open({ agent, store, conversationId: 'kettle' });
    await conversation.send('And now?');
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'It is off.' });

    const sent = server.requests.map(({ body }) => JSON.stringify(body));
    expect(sent).toHaveLength(2);
    for (const body of sent) {
      expect(body).not.toContain(marker);
      expect(body).toContain('Is the kettle on?');
      expect(body).toContain('The kitchen is locked.');
      expect(body).toContain('(The tool answered in a form that cannot be shown here.)');
    }

    const after = await readFile(file, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    const read: Event[] = [];
    for await (const event of store.read('kettle')) read.push(event);
    expect(read.slice(0, written.length).map((event) => JSON.stringify(event))).toEqual(
      written.map((line) => line.trim()),
    );

    const { view } = conversation;
    const users = [...view.events].filter((event) => protectedEventIds(view).has(event.id) && isUserMessage(event));
    expect(users.map(({ id }) => id)).toEqual(['e2', read.findLast(isUserMessage)?.id]);
    const noted = [...view.notes].map(({ eventId, note }) => `${eventId}: ${note}`).join('\n');
    for (const name of ['hook', 'critic', 'audio', 'sketch', 'sealed-thinking']) expect(noted).toContain(`'${name}'`);
  },
);

test('a log of a newer version is copied as it is: read, appended elsewhere and read again, byte by byte', async () => {
  const directory = await temporaryFolder();
  await copyFile(fixture, join(directory, 'kettle.jsonl'));
  const store = fileEventStore({ directory, fsync: false });
  for await (const event of store.read('kettle')) await store.append('copy', [event]);
  const lines = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '');
  expect(lines(await readFile(join(directory, 'copy.jsonl'), 'utf8'))).toEqual(lines(await readFile(fixture, 'utf8')));
  await store.append('copy', [createEvent('pause', {})], {
    expectedVersion: lines(await readFile(fixture, 'utf8')).length,
  });
});
