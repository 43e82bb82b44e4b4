import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeOpencodeDatabase } from '../../test-support/opencode-database.js';
import { findSessions } from './find-sessions.js';
import type { FindSessionsOptions } from './find-sessions.js';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'palimpsest-discover-'));
});

afterEach(() => rm(home, { recursive: true }));

/** Writes a file that was last changed at this second. */
async function write(path: string, second: number, text = '{}\n'): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await utimes(file, second, second);
}

async function found(options: FindSessionsOptions = {}): Promise<{ paths: string[]; more: number }> {
  const { sessions, more } = await findSessions({ home, environment: {}, ...options });
  return { paths: sessions.map(({ agent, path }) => `${agent} ${path.slice(home.length + 1)}`), more };
}

test('finds the sessions of every agent, the newest first, and only sessions', async () => {
  await write('.claude/projects/-work/one.jsonl', 30);
  await write('.claude/projects/-work/one/tool-results/x.txt', 99);
  await write('.claude/projects/-work/one/subagents/agent-1.jsonl', 31);
  await write('.config/claude/projects/-work/two.jsonl', 10);
  await write('.codex/sessions/2026/03/01/rollout-2026-03-01-a.jsonl', 50);
  await write('.codex/archived_sessions/rollout-2026-02-01-b.jsonl', 5);
  await write('.codex/history.jsonl', 99);
  await write('.pi/agent/sessions/--work--/2026_a.jsonl', 40);
  await write('.gemini/tmp/a1b2/chats/session-2026-03-01T09-00-5e55.json', 27);
  await write('.gemini/tmp/a1b2/chats/session-2026-03-01T09-00-5e55.jsonl', 28);
  await write('.gemini/tmp/a1b2/chats/5e55/child.jsonl', 26);
  await write('.gemini/tmp/a1b2/logs.json', 99);
  await write('.openhands/conversations/c0ffee/base_state.json', 25);
  await write('.openhands/conversations/c0ffee/events/event-00000-a.json', 99);
  await write('.local/share/opencode/storage/session/project/ses_1.json', 20);
  await write('.local/share/opencode/storage/message/ses_1/msg_1.json', 99);
  expect(await found()).toEqual({
    paths: [
      'codex .codex/sessions/2026/03/01/rollout-2026-03-01-a.jsonl',
      'pi .pi/agent/sessions/--work--/2026_a.jsonl',
      'claude-code .claude/projects/-work/one/subagents/agent-1.jsonl',
      'claude-code .claude/projects/-work/one.jsonl',
      'gemini-cli .gemini/tmp/a1b2/chats/session-2026-03-01T09-00-5e55.jsonl',
      'gemini-cli .gemini/tmp/a1b2/chats/5e55/child.jsonl',
      'openhands .openhands/conversations/c0ffee/base_state.json',
      'opencode .local/share/opencode/storage/session/project/ses_1.json',
      'claude-code .config/claude/projects/-work/two.jsonl',
      'codex .codex/archived_sessions/rollout-2026-02-01-b.jsonl',
    ],
    more: 0,
  });
});

test('the size of a session is told where one file holds it', async () => {
  await write('.claude/projects/p/a.jsonl', 2, '{"a":1}\n');
  await write('.openhands/conversations/b/base_state.json', 1);
  const { sessions } = await findSessions({ home, environment: {} });
  expect(sessions.map(({ agent, size }) => [agent, size])).toEqual([
    ['claude-code', 8],
    ['openhands', undefined],
  ]);
});

test('takes the newest, says how many more there are, and is stable among equals', async () => {
  for (const name of ['c', 'a', 'b', 'd']) await write(`.claude/projects/p/${name}.jsonl`, name === 'd' ? 1 : 7);
  const { paths, more } = await found({ newest: 2 });
  expect(paths).toEqual(['claude-code .claude/projects/p/a.jsonl', 'claude-code .claude/projects/p/b.jsonl']);
  expect(more).toBe(2);
  expect(await found({ newest: 0 })).toEqual({ paths: [], more: 4 });
});

test('variables move the folders; relative values are ignored', async () => {
  await write('moved/claude/projects/p/a.jsonl', 6);
  await write('moved/codex/sessions/rollout-a.jsonl', 5);
  await write('moved/pi/sessions/p/a.jsonl', 4);
  await write('moved/share/opencode/storage/session/p/ses_a.json', 3);
  await write('moved/openhands/conversations/a/base_state.json', 2);
  await write('moved/gemini/.gemini/tmp/p/chats/session-a.json', 1);
  await write('.claude/projects/p/unused.jsonl', 9);
  const environment = {
    CLAUDE_CONFIG_DIR: '~/moved/claude',
    CODEX_HOME: join(home, 'moved/codex'),
    PI_CODING_AGENT_DIR: join(home, 'moved/pi'),
    GEMINI_CLI_HOME: join(home, 'moved/gemini'),
    OPENHANDS_PERSISTENCE_DIR: join(home, 'moved/openhands'),
    XDG_DATA_HOME: join(home, 'moved/share'),
  };
  expect((await found({ environment })).paths).toEqual([
    'claude-code moved/claude/projects/p/a.jsonl',
    'codex moved/codex/sessions/rollout-a.jsonl',
    'pi moved/pi/sessions/p/a.jsonl',
    'opencode moved/share/opencode/storage/session/p/ses_a.json',
    'openhands moved/openhands/conversations/a/base_state.json',
    'gemini-cli moved/gemini/.gemini/tmp/p/chats/session-a.json',
  ]);
  const relative = await found({ environment: { CLAUDE_CONFIG_DIR: 'moved/claude', CODEX_HOME: ' ' } });
  expect(relative.paths).toEqual(['claude-code .claude/projects/p/unused.jsonl']);
  const conversations = { OPENHANDS_CONVERSATIONS_DIR: join(home, 'moved/openhands/conversations') };
  expect((await found({ environment: conversations })).paths).toContain(
    'openhands moved/openhands/conversations/a/base_state.json',
  );
  const sessionDirectory = { PI_CODING_AGENT_SESSION_DIR: join(home, 'moved/pi/sessions') };
  expect((await found({ environment: sessionDirectory })).paths).toContain('pi moved/pi/sessions/p/a.jsonl');
});

test('pipes, empty files and links in a circle are passed over; links to files count', async () => {
  const folder = join(home, '.claude/projects/p');
  await write('.claude/projects/p/a.jsonl', 2);
  await write('.claude/projects/p/empty.jsonl', 3, '');
  await write('elsewhere.jsonl', 4);
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
  await symlink(home, join(folder, 'circle'));
  await symlink(join(home, 'elsewhere.jsonl'), join(folder, 'link.jsonl'));
  await symlink(join(home, 'gone.jsonl'), join(folder, 'broken.jsonl'));
  expect((await found()).paths).toEqual([
    'claude-code .claude/projects/p/link.jsonl',
    'claude-code .claude/projects/p/a.jsonl',
  ]);
});

test('says where it looked, and what could not be read', async () => {
  await write('.claude/projects/p/a.jsonl', 2);
  await write('.codex/sessions', 2, 'a file where a folder should be');
  const { folders } = await findSessions({ home, environment: {} });
  const at = (folder: string) => folders.find((searched) => searched.folder === join(home, folder));
  expect(at('.claude/projects')).toEqual({ agent: 'claude-code', folder: join(home, '.claude/projects'), sessions: 1 });
  expect(at('.codex/sessions')?.problem).toContain('ENOTDIR');
  expect(at('.pi/agent/sessions')).toEqual({ agent: 'pi', folder: join(home, '.pi/agent/sessions'), sessions: 0 });
});

test('the sessions of opencode’s databases have addresses; its storage folder is replaced by them', async () => {
  await write('.local/share/opencode/storage/session/p/ses_1.json', 9);
  const stored = (id: string, second: number) => ({
    info: { id, time: { created: 1, updated: second * 1000 } },
    messages: [{ info: { id: `msg_of_${id}`, role: 'user', time: { created: 1 } }, parts: [] }],
  });
  const folder = join(home, '.local/share/opencode');
  await writeOpencodeDatabase(join(folder, 'opencode.db'), [stored('ses_1', 20), stored('ses_2', 40)]);
  await writeOpencodeDatabase(join(folder, 'opencode-beta.db'), [stored('ses_3', 30)]);
  await write('.codex/sessions/rollout-a.jsonl', 35);
  expect((await found()).paths).toEqual([
    'opencode .local/share/opencode/opencode.db#ses_2',
    'codex .codex/sessions/rollout-a.jsonl',
    'opencode .local/share/opencode/opencode-beta.db#ses_3',
    'opencode .local/share/opencode/opencode.db#ses_1',
  ]);
  const named = await found({ environment: { OPENCODE_DB: 'opencode-beta.db' } });
  expect(named.paths).not.toContain('opencode .local/share/opencode/opencode.db#ses_2');
  expect(named.paths).toContain('opencode .local/share/opencode/opencode-beta.db#ses_3');
});

test('a database that cannot be read is reported, and the others are found', async () => {
  await write('.local/share/opencode/opencode.db', 9, 'no database');
  await write('.codex/sessions/rollout-a.jsonl', 35);
  const { sessions, folders } = await findSessions({ home, environment: {} });
  expect(sessions.map(({ agent }) => agent)).toEqual(['codex']);
  expect(folders.find(({ problem }) => problem !== undefined)?.folder).toMatch(/opencode\.db$/);
});
