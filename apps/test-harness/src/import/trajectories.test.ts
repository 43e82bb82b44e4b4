import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelCalls } from './log/model-calls.js';
import { readSessions } from './read-sessions.js';

const folder = process.env['PALIMPSEST_TRAJECTORIES'];
const reason = folder === undefined ? ' (skipped: PALIMPSEST_TRAJECTORIES names no folder)' : '';

/** Steps of the longest session, as counted by those who gathered the sessions, for the formats that issue 2 asks for. */
const longest: Readonly<Record<string, number>> = {
  'claude-code-entire': 389,
  'codex-entire': 295,
  'pi-mono': 453,
  'tau-bench': 30,
};

test.skipIf(folder === undefined)(
  `every file of the real sessions is read, or listed with a reason${reason}`,
  async () => {
    const rows = new Map<
      string,
      { sessions: number; events: number; 'model calls': number; longest: number; notes: number }
    >();
    const files = new Set<string>();
    const reader = readSessions(folder ?? '');
    for await (const { name, file, events, notes } of reader) {
      const source = name.split('/')[0] ?? '';
      const row = rows.get(source) ?? { sessions: 0, events: 0, 'model calls': 0, longest: 0, notes: 0 };
      const calls = modelCalls(events).length;
      rows.set(source, {
        sessions: row.sessions + 1,
        events: row.events + events.length,
        'model calls': row['model calls'] + calls,
        longest: Math.max(row.longest, calls),
        notes: row.notes + notes.reduce((sum, note) => sum + note.count, 0),
      });
      files.add(file);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    }
    console.table(Object.fromEntries(rows));
    for (const { file, reason: why } of reader.skipped) console.log(`skipped ${file}: ${why}`);

    const all = readdirSync(folder ?? '', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.size + reader.skipped.length).toBe(all.length);
    expect(reader.skipped.filter(({ error }) => error !== undefined)).toEqual([]);
    for (const [source, steps] of Object.entries(longest)) {
      if (rows.has(source)) expect(rows.get(source)?.longest).toBe(steps);
    }
  },
);
