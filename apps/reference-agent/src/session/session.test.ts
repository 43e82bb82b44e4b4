import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { calls, chatServer, says, toolCall } from '../../test-support/chat-server.js';
import { eventsOf, headlessRig } from '../../test-support/headless-rig.js';
import { doctorCommand } from '../cli/doctor.js';
import { listCommand } from '../cli/list.js';
import { sessionsFolder } from '../settings/user-folders.js';
import { exportCommand } from './export.js';
import {
  createSession,
  findSession,
  listSessions,
  sessionNamed,
  sessionSettingsEvent,
  sessionStatus,
} from './session.js';

/** A rig with a finished session in it. */
async function rigWithSession() {
  const { baseURL } = await chatServer({
    reply: (_, index) => (index === 0 ? calls('Look.', toolCall('list_files', {})) : says('Done.')),
  });
  const rig = await headlessRig({ 'a.txt': 'a' }, { model: 'local', baseUrl: baseURL });
  const ran = await rig.run({ print: 'Please  do\nit.' });
  return { rig, id: eventsOf(ran, 'init')[0]?.session ?? '' };
}

test('a session is a folder that only its user can open; its log says what a list shows', async () => {
  const { rig, id } = await rigWithSession();
  const folder = join(rig.sessions, id);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const { session, record, lastStatus } = await findSession(rig.sessions, { workspace: rig.workspace });
  const [first = ''] = (await readFile(session.log, 'utf8')).split('\n');
  expect(record).toEqual({
    id,
    workspace: rig.workspace,
    model: 'local',
    baseUrl: expect.stringContaining('http') as string,
    created: (JSON.parse(first) as Event).timestamp,
    task: 'Please do it.',
  });
  expect(lastStatus).toBe('finished');
  expect(await readdir(folder)).not.toContain('session.json');
});

test('a folder of an earlier version opens and lists, whatever its session.json says', async () => {
  const { rig, id } = await rigWithSession();
  const { record } = await findSession(rig.sessions, { id, workspace: '' });
  const file = join(rig.sessions, id, 'session.json');
  for (const text of [JSON.stringify({ schemaVersion: 1, ...record, task: 'Another.' }), '{"schemaVersion":1,"id":'])
    await writeFile(file, text);
  expect((await findSession(rig.sessions, { id, workspace: '' })).record).toEqual(record);
  expect(await rig.resume(id, { print: 'And now?' })).toMatchObject({ status: 0 });
});

test('what changed in the middle of a long log is in the list, and a line that a process died in is not', async () => {
  const { rig, id } = await rigWithSession();
  const { session } = await findSession(rig.sessions, { id, workspace: '' });
  const filler = JSON.stringify(userMessage('Long. '.repeat(20_000)));
  const settings = (model: string) => JSON.stringify(sessionSettingsEvent({ workspace: '/elsewhere', model }));
  const fork = JSON.stringify(
    createEvent('conversation-state-update', { key: 'forked-from', value: { conversationId: 'parent' } }),
  );
  const fillers = Array.from({ length: 6 }, () => filler);
  // Longer than what is read at once.
  const model = 'middle'.repeat(60_000);
  const lines = [...fillers, settings(model), fork, 'no JSON: conversation-state-update', ...fillers];
  await appendFile(session.log, `${lines.join('\n')}\n${settings('torn')}`);
  const { record } = await findSession(rig.sessions, { workspace: '/elsewhere' });
  expect(record).toMatchObject({ id, model, parent: 'parent', task: 'Please do it.' });
  await expect(findSession(rig.sessions, { workspace: rig.workspace })).rejects.toThrow('There is no session of');
});

test('a session whose process died is cut off; it is found through a link to its folder', async () => {
  const { rig, id } = await rigWithSession();
  const { session } = await findSession(rig.sessions, { id, workspace: '' });
  const running = createEvent('conversation-state-update', { key: 'status', value: 'running' });
  await appendFile(session.log, `${JSON.stringify(running)}\n`);
  const link = `${rig.workspace}-link`;
  await symlink(rig.workspace, link);
  const found = await sessionNamed(undefined, link, { env: rig.env, cwd: '/' });
  expect(found.session.id).toBe(id);
  expect(await sessionStatus(found)).toBe('cut off');
});

test('a session whose log is damaged says which command repairs a copy, and goes on with the copy', async () => {
  const { rig, id } = await rigWithSession();
  const log = join(rig.sessions, id, `${id}.jsonl`);
  const whole = await readFile(log, 'utf8');
  const remedy = `To repair a copy: palimpsest doctor '${log}'`;
  const [first] = whole.split('\n');
  for (const damaged of [`\ufeff${whole}`, `${whole}${first}\n`]) {
    await writeFile(log, damaged);
    await expect(rig.resume(id, { print: 'And now?' })).rejects.toThrow(remedy);
    const exported = rig.command(async (surroundings) =>
      exportCommand(await findSession(rig.sessions, { id, workspace: '' }), 'jsonl', surroundings),
    );
    await expect(exported).rejects.toThrow(remedy);
  }
  await rig.command((surroundings) => doctorCommand(log, {}, surroundings));
  await rename(log.replace('.jsonl', '.repaired.jsonl'), log);
  expect(await rig.resume(id, { print: 'And now?' })).toMatchObject({ status: 0 });
});

test('broken and foreign folders are told and skipped', async () => {
  const { rig, id } = await rigWithSession();
  const make = async (name: string, files: Readonly<Record<string, string>>) => {
    await mkdir(join(rig.sessions, name));
    for (const [file, text] of Object.entries(files)) await writeFile(join(rig.sessions, name, file), text);
  };
  await make('empty', { 'notes.txt': 'Nothing of ours.' });
  await make('foreign', { 'foreign.jsonl': '{"type":"something"}\n' });
  await make('nowhere', { 'nowhere.jsonl': '', 'notes.txt': 'Nothing of ours.' });
  await writeFile(join(rig.sessions, 'a-file'), '');
  const { sessions, problems } = await listSessions(rig.sessions);
  expect(sessions.map(({ session }) => session.id)).toEqual([id]);
  expect(problems.map(({ message }) => message).sort()).toEqual([
    expect.stringMatching(/empty' is no session: it has no 'empty\.jsonl'/),
    expect.stringMatching(/nowhere' is no session: its log does not say/),
    expect.stringMatching(/Session 'foreign' cannot be read: /),
  ]);
  await expect(findSession(rig.sessions, { id: 'foreign', workspace: '' })).rejects.toThrow('cannot be read');

  const listed = await rig.command((surroundings) => listCommand({}, surroundings));
  expect(listed.stdout).toMatch(new RegExp(`^${id} {2}20.* {2}finished {2}Please do it\\.\n$`));
  expect(listed.stderr.match(/^palimpsest: skipped: /gm)).toHaveLength(3);
});

test('a named pipe in the place of a log is not waited for', async () => {
  const { rig, id } = await rigWithSession();
  const log = join(rig.sessions, id, `${id}.jsonl`);
  await rm(log);
  execFileSync('mkfifo', [log]);
  const listed = await rig.command((surroundings) => listCommand({}, surroundings));
  expect(listed).toMatchObject({ stdout: '', stderr: expect.stringContaining(`'${log}', is no file`) as string });
});

test('list and export: what others can read', async () => {
  const { rig, id } = await rigWithSession();
  const json = await rig.command((surroundings) => listCommand({ all: true, json: true }, surroundings));
  expect(JSON.parse(json.stdout)).toMatchObject([{ id, status: 'finished', workspace: rig.workspace }]);
  expect((await rig.command((its) => listCommand({}, { ...its, cwd: '/' }))).stderr).toContain('no sessions');

  const found = await findSession(rig.sessions, { id, workspace: '' });
  const exported = async (format: Parameters<typeof exportCommand>[1]) =>
    (await rig.command((surroundings) => exportCommand(found, format, surroundings))).stdout;
  expect(await exported('jsonl')).toBe((await readFile(found.session.log, 'utf8')).replace(/^ /gm, ''));
  // Text of models and tools drives no terminal in any format.
  await rig.run({ print: 'a\u009b2Jb\u202ec\u007f' });
  const told = await findSession(rig.sessions, { id: undefined, workspace: rig.workspace });
  for (const format of ['jsonl', 'markdown', 'messages'] as const) {
    const { stdout } = await rig.command((surroundings) => exportCommand(told, format, surroundings));
    expect(stdout).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect(stdout).toMatch(/\\(?:u00|x)9b/);
  }
  expect(JSON.parse(await exported('messages'))).toMatchObject([{ role: 'system' }, { role: 'user' }, {}, {}, {}]);
  expect(await exported('markdown')).toMatch(/# Session .*## User\n\nPlease {2}do\nit\.\n.*## Call 1: list_files/s);
});

test('an id may be short, as long as it is one', async () => {
  const { rig, id } = await rigWithSession();
  await mkdir(join(rig.sessions, `${id}x`));
  const find = (wanted: string) => findSession(rig.sessions, { id: wanted, workspace: '' });
  expect((await find(id)).session.id).toBe(id);
  await expect(find(id.slice(0, 3))).rejects.toThrow(/may be any of the sessions .*: give more of the id/);
  await expect(find('')).rejects.toThrow("There is no session ''");
  await expect(find('../x')).rejects.toThrow('There is no session');
});

test('a folder that cannot be made is told', async () => {
  const { rig } = await rigWithSession();
  const file = join(rig.workspace, 'a.txt');
  for (const place of [file, join(file, 'below'), '/proc/nowhere/below'])
    await expect(createSession(place)).rejects.toThrow(`Cannot make a session in '${place}': `);
  expect((await createSession(join(rig.workspace, 'two/new'))).folder).toContain('two/new/');
});

test('the folder of all sessions is the one for state', () => {
  expect(sessionsFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/palimpsest/sessions');
  expect(sessionsFolder({ XDG_STATE_HOME: 'relative' })).not.toContain('relative');
});

test('what a process leaves that is killed before its session began is no session and no problem', async () => {
  const rig = await headlessRig();
  await createSession(rig.sessions);
  await writeFile((await createSession(rig.sessions)).log, '');
  expect(await listSessions(rig.sessions)).toEqual({ sessions: [], problems: [] });
});

test.runIf(process.platform === 'linux')('a relative folder in the variable is ignored, as the standard says', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('XDG_STATE_HOME', 'relative');
  expect(sessionsFolder(process.env)).toBe(join(homedir(), '.local/state/palimpsest/sessions'));
  vi.stubEnv('HOME', '');
  expect(sessionsFolder(process.env)).toMatch(/^\//);
});
