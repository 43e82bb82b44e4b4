import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chatServer } from '../../test-support/chat-server.js';
import { eventsOf, headlessRig } from '../../test-support/headless-rig.js';
import { twoTurnReply } from '../../test-support/two-turns.js';
import { findSession, sessionStatus } from '../session/session.js';
import { undoCommand } from './undo.js';
import type { UndoFlags } from './undo.js';

/** A session of two turns: the first one writes a.txt, the second one changes it, writes b/new.txt and runs a command. */
async function twoTurns() {
  const server = await chatServer({ reply: twoTurnReply('b/new.txt') });
  const rig = await headlessRig({ 'a.txt': 'before\n' }, { model: 'local', baseUrl: server.baseURL });
  const id = eventsOf(await rig.run({ print: 'First.' }), 'init')[0]?.session ?? '';
  await rig.resume(id, { print: 'Second.' });
  const text = (path: string) => readFile(join(rig.workspace, path), 'utf8');
  const find = (wanted?: string) => findSession(rig.sessions, { id: wanted, workspace: rig.workspace });
  const undo = async (flags: UndoFlags = {}, wanted?: string) => {
    const found = await find(wanted);
    return rig.command((surroundings) => undoCommand(found, flags, surroundings));
  };
  return { rig, server, id, text, find, undo };
}

test('undo takes back the last turn, and again the one before; the conversation goes on in forks, and nothing is deleted', async () => {
  const { rig, server, id, text, find, undo } = await twoTurns();
  const log = await readFile((await find(id)).session.log, 'utf8');

  const plan = await undo({ dryRun: true });
  expect(plan.stdout).toContain('would be restored: a.txt');
  expect(await text('a.txt')).toBe('second\n');

  const undone = await undo();
  expect(undone.stdout).toContain('restored: a.txt\n');
  expect(undone.stdout).toContain('deleted: b/new.txt\n');
  expect(undone.stdout).toContain('not undone: what a command did');
  expect(await text('a.txt')).toBe('first\n');
  await expect(stat(join(rig.workspace, 'b'))).rejects.toThrow('ENOENT');
  const fork = await find();
  expect(fork.record).toMatchObject({ parent: id, task: 'First.', workspace: rig.workspace });
  expect(undone.stdout).toContain(`session ${fork.session.id} goes on from there`);
  expect(await readFile((await find(id)).session.log, 'utf8')).toBe(log);

  expect((await rig.resume(undefined, { print: 'Third.' })).status).toBe(0);
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect(body).toContain('First.');
  expect(body).not.toContain('Second.');

  await undo({}, fork.session.id);
  await undo();
  expect(await text('a.txt')).toBe('before\n');
  await expect(undo()).rejects.toThrow('nothing to undo');
  await expect(rig.resume(undefined, {})).rejects.toThrow('has no task yet');
  expect(await sessionStatus(await find())).toBe('idle');
});

test('a file that somebody else changed is left alone, and so are all others; --force restores it', async () => {
  const { rig, text, undo } = await twoTurns();
  await writeFile(join(rig.workspace, 'a.txt'), 'mine\n');
  await expect(undo()).rejects.toThrow(/a\.txt \(changed since, outside of the session\)/);
  expect(await text('b/new.txt')).toBe('new\n');
  expect((await undo({ force: true })).status).toBe(0);
  expect(await text('a.txt')).toBe('first\n');
});

test('back to an event; one that is none is told, and so is a session that runs', async () => {
  const { rig, id, text, find, undo } = await twoTurns();
  const { session } = await find(id);
  const edits: string[] = [];
  for await (const event of session.store.read(id)) if (event.type === 'palimpsest/file-edit') edits.push(event.id);
  await expect(undo({ to: 'nothing' })).rejects.toThrow("No event begins with 'nothing'");
  await expect(undo({ to: '0' })).rejects.toThrow(/\d+ events begin with '0'/);
  const writer = await session.store.openForWriting(id);
  await expect(undo()).rejects.toThrow('has it open for writing');
  await writer.close();
  await undo({ to: edits[1] ?? '' });
  expect(await text('a.txt')).toBe('second\n');
  await expect(stat(join(rig.workspace, 'b/new.txt'))).rejects.toThrow('ENOENT');
  await rm(rig.workspace, { recursive: true });
});
