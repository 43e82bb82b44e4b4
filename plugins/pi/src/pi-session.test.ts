import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  answer,
  call,
  plainConversation,
  result,
  text,
  toolSteps,
  user,
  withoutThinking,
} from '../test-support/conversations.js';
import { entriesOf, fakeContext, fakePi } from '../test-support/fake-pi.js';
import type { FakeContext, FakePi } from '../test-support/fake-pi.js';
import type { PiMessage } from './codec/pi-message.js';
import { startSession } from './pi-session.js';
import type { PiSession } from './pi-session.js';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function sessionFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-pi-'));
  folders.push(folder);
  return folder;
}

const conversation = (steps: number) => withoutThinking(plainConversation(steps, 400));

interface Started {
  readonly pi: FakePi;
  readonly ctx: FakeContext;
  readonly session: PiSession;
}

async function started(session: Parameters<typeof fakeContext>[0] = { id: 'one' }, settings = {}): Promise<Started> {
  const [pi, ctx] = [fakePi(settings), fakeContext(session)];
  return { pi, ctx, session: await startSession(pi, ctx, '1.5.2') };
}

/** As pi sends a list: the messages to send are the given ones where the plugin answers nothing. */
async function sentBy({ session, ctx }: Started, messages: readonly PiMessage[]): Promise<readonly PiMessage[]> {
  return (await session.fit(structuredClone(messages), ctx))?.messages ?? messages;
}

test('a short list stays as it is, and nothing is answered', async () => {
  const { session, ctx } = await started();
  expect(await session.fit(conversation(4), ctx)).toBeUndefined();
  expect(await session.fit('no list', ctx)).toBeUndefined();
  expect(ctx.status).toMatch(/^palimpsest \S+ held · \S+ sent$/);
});

test('a session that ran without the plugin is sent as it was, with its thinking', async () => {
  const list = plainConversation(20);
  const one = await started();
  expect(await one.session.fit(list, one.ctx)).toBeUndefined();
  const folder = await sessionFolder();
  const file = path.join(folder, 'one.jsonl');
  const kept = await started({ id: 'one', file });
  expect(await kept.session.fit(list, kept.ctx)).toBeUndefined();
  const again = await started({ id: 'one', file });
  expect(await again.session.fit([...list, ...toolSteps(20, 21)], again.ctx)).toBeUndefined();
});

test('/condense condenses what the session holds, and the next request goes on from there', async () => {
  const one = await started();
  const list = conversation(30);
  one.ctx.branch = entriesOf(list);
  await one.session.condense(' the third file ', one.ctx);
  expect(one.ctx.notices.at(-1)).toMatch(/^Condensed: the next request holds/);
  const sent = await sentBy(one, [...list, ...withoutThinking(toolSteps(30, 31))]);
  expect(sent.length).toBeLessThan(list.length / 2);
  expect(sent[0]).toEqual(list[0]);
  await one.session.show(one.ctx);
  expect(one.ctx.notices.at(-1)).toContain('with the focus “the third file”');
});

test('/uncondense says the price, asks, and takes back', async () => {
  const one = await started();
  const list = conversation(30);
  one.ctx.branch = entriesOf(list);
  await one.session.condense('', one.ctx);
  one.ctx.isConfirmed = false;
  await one.session.undo(one.ctx);
  expect(one.ctx.questions.at(-1)).toMatch(
    /^Take the newest condensation back\? The next request grows from .* once for \$/,
  );
  expect((await sentBy(one, list)).length).toBeLessThan(list.length);
  one.ctx.isConfirmed = true;
  await one.session.undo(one.ctx);
  expect(one.ctx.notices.at(-1)).toMatch(/^Taken back/);
  expect(await sentBy(one, list)).toEqual(list);
});

test('a restart and a fork send what was sent before, and no file of pi is written', async () => {
  const folder = await sessionFolder();
  const file = path.join(folder, '2026_one.jsonl');
  await writeFile(file, `${JSON.stringify({ type: 'session', version: 3, id: 'one', cwd: '/' })}\n`);
  const list = conversation(30);
  const one = await started({ id: 'one', file });
  one.ctx.branch = entriesOf(list);
  await one.session.condense('', one.ctx);
  const sent = await sentBy(one, list);
  expect(sent.length).toBeLessThan(list.length);
  expect(await sentBy(await started({ id: 'one', file }), list)).toEqual(sent);
  const fork = await started({ id: 'two', file: path.join(folder, '2027_two.jsonl'), parent: file });
  expect(await sentBy(fork, list)).toEqual(sent);
  expect(await readdir(folder)).toEqual(['2026_one.jsonl', 'palimpsest']);
  // Of a parent that is gone nothing is known.
  const lost = await started({
    id: 'three',
    file: path.join(folder, '3.jsonl'),
    parent: path.join(folder, 'gone.jsonl'),
  });
  expect(await sentBy(lost, list)).toEqual(list);
});

test('off, lists go as they are; off from the start, the model has no tool', async () => {
  const one = await started();
  const list = conversation(30);
  one.ctx.branch = entriesOf(list);
  await one.session.condense('', one.ctx);
  await one.session.turn('off', one.ctx);
  expect(one.ctx.status).toBe('palimpsest off');
  expect(await sentBy(one, list)).toEqual(list);
  await one.session.turn(' on', one.ctx);
  expect((await sentBy(one, list)).length).toBeLessThan(list.length);
  await one.session.turn('perhaps', one.ctx);
  expect(one.ctx.notices.at(-1)).toBe('Palimpsest is on in this session: /palimpsest on|off.');
  expect(one.pi.tools.map(({ name }) => name)).toEqual(['recall']);
  const off = await started({ id: 'one' }, { palimpsest: { on: false } });
  expect(off.pi.tools).toEqual([]);
});

test('recall returns what is hidden, and behind a compaction of pi what stood before it', async () => {
  const one = await started();
  const list = [
    ...conversation(20),
    answer([call('call_key', 'read', { path: 'src/key.ts' })]),
    result('call_key', 'read', [text(`the key is zebra-crossing ${'word '.repeat(400)}`)]),
    ...withoutThinking(toolSteps(20, 30, 400)),
  ];
  const recalled = async () => {
    const { content } = await one.pi.tools[0]!.execute(
      'id',
      { query: 'zebra-crossing' },
      undefined,
      undefined,
      one.ctx,
    );
    return JSON.stringify(content);
  };
  one.ctx.branch = entriesOf(list);
  await one.session.condense('', one.ctx);
  expect(await recalled()).toContain('the key is zebra-crossing');

  const compaction = { type: 'compaction', id: 'c', summary: 'Files were read.', firstKeptEntryId: 'entry-60' };
  const after = [
    { role: 'compactionSummary', summary: 'Files were read.', tokensBefore: 1, timestamp: 2 },
    user('Go on.'),
  ];
  one.ctx.branch = [...entriesOf(list), compaction, ...entriesOf([user('Go on.')])];
  await sentBy(one, after);
  expect(await recalled()).toContain('Before the conversation was compacted');
  expect(await recalled()).toContain('the key is zebra-crossing');
});

test('usage that answers report is taken, and that of failed ones is not', async () => {
  const one = await started();
  await sentBy(one, conversation(4));
  await one.session.used(answer([text('Done.')]), one.ctx);
  await one.session.used(answer([], { stopReason: 'error', usage: {} }), one.ctx);
  await one.session.used(user('Hello.'), one.ctx);
  await one.session.show(one.ctx);
  expect(one.ctx.notices.at(-1)).not.toMatch(/usage/i);
});
