import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FoundSession } from '../import/find-sessions.js';
import { foundSessionsText, logFoldersText } from './machine-sessions.js';

const session = (index: number): FoundSession => ({
  agent: index % 2 === 0 ? 'claude-code' : 'opencode',
  path: `/home/me/.claude/projects/-home-me-library/${index}\u001b[2J.jsonl`,
  modifiedAt: new Date(2026, 2, 1, 9, 30 - index).getTime(),
  ...(index % 2 === 0 && { size: 900 + 700_000 * index }),
});

test('says how many sessions of which agent there are, and lists the newest', () => {
  const sessions = Array.from({ length: 50 }, (_, index) => session(index));
  const folders = [
    { agent: 'claude-code' as const, folder: '/a', sessions: 200 },
    { agent: 'claude-code' as const, folder: '/b', sessions: 1 },
    { agent: 'codex' as const, folder: '/c', sessions: 0 },
    { agent: 'opencode' as const, folder: '/d', sessions: 1_099 },
  ];
  expect(foundSessionsText({ sessions, more: 1_250, folders }, 76).split('\n')).toEqual([
    '1,300 recorded sessions on this machine: Claude Code 201, opencode 1,099',
    String.raw`  2026-03-01 09:30      1 kB  Claude Code  -home-me-library/0\x1b[2J.jsonl`,
    String.raw`  2026-03-01 09:29            opencode     -home-me-library/1\x1b[2J.jsonl`,
    String.raw`  2026-03-01 09:28    1.4 MB  Claude Code  -home-me-library/2\x1b[2J.jsonl`,
    String.raw`  2026-03-01 09:27            opencode     -home-me-library/3\x1b[2J.jsonl`,
    String.raw`  2026-03-01 09:26    2.8 MB  Claude Code  -home-me-library/4\x1b[2J.jsonl`,
    '  and 1,295 older',
    'The newest 50 are replayed.',
  ]);
  const narrow = foundSessionsText({ sessions, more: 0, folders }, 50).split('\n');
  expect(narrow[1]).toBe('  2026-03-01 09:30      1 kB  Claude Code  -home-…');
});

test('says where agents keep their logs, and why one could not be read', () => {
  const folders = [
    { agent: 'codex' as const, folder: join(homedir(), '.codex/sessions'), sessions: 0 },
    { agent: 'pi' as const, folder: '/pi/sessions', sessions: 0, problem: 'it is a file' },
  ];
  expect(logFoldersText({ folders }).split('\n')).toEqual([
    '  Codex        ~/.codex/sessions',
    '  pi           /pi/sessions: it is a file',
  ]);
});
