import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { EventLog } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { readSessions } from '../apps/test-harness/src/import/index.js';
import { policyFrom } from '../apps/test-harness/src/replay/policy.js';
import { replayPaths } from '../apps/test-harness/src/replay/replay.js';
import { recordings } from './histories.js';
import type { LogOf } from './histories.js';
import { cpuClock, cpuOf, measure } from './measure.js';
import type { Limits, Row, Subject } from './measure.js';

const conversationId = 'bench';
const rounds = 15;

/** Reads a log from disk, with checked and frozen events. Floor: reading the same lines in blocks, and `JSON.parse` of each. */
export async function coldLoad(logOf: LogOf): Promise<readonly Row[]> {
  const agent = new Agent({ llm: scriptedLLM({ script: [] }), tools: [] });
  const rows: Row[] = [];
  for (const size of [1_000, 10_000]) {
    const directory = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
    try {
      const store = fileEventStore({ directory, fsync: false });
      await store.append(conversationId, logOf(size).events);
      const file = await logFile(directory);
      const open = async (): Promise<Conversation> => {
        const conversation = await Conversation.open({ agent, store: fileEventStore({ directory }), conversationId });
        if (conversation.view.events.length === 0) throw new Error('an empty view');
        await conversation.close();
        return conversation;
      };
      const subjects: readonly (Subject & { readonly limits: Limits })[] = [
        {
          name: 'cold load of a log',
          limits: [1.3],
          run: () => EventLog.open(conversationId, { store: fileEventStore({ directory }) }),
        },
        { name: 'Conversation.open', limits: [2], run: open },
      ];
      const floor: Subject = { name: 'JSON.parse', run: () => parseLines(file) };
      const [, ...timings] = await measure(floor, subjects, rounds, cpuClock);
      for (const [index, { name, ratio }] of timings.entries()) {
        const limits = size === 10_000 ? subjects[index]?.limits : undefined;
        rows.push({
          what: `${name}, ${size.toLocaleString('en-GB')}, to JSON.parse`,
          figure: ratio,
          ...(limits && { limits }),
        });
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  }
  return rows;
}

async function logFile(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true });
  const name = files.find((file) => file.endsWith('.jsonl'));
  if (name === undefined) throw new Error(`no log was written to ${directory}`);
  return join(directory, name);
}

/** Parses the lines of a file. It reads in blocks, because an await per line would make the floor slower than necessary. */
async function parseLines(file: string): Promise<unknown[]> {
  const parsed: unknown[] = [];
  let rest = '';
  for await (const block of createReadStream(file, { highWaterMark: 1 << 20, encoding: 'utf8' })) {
    const lines = (rest + String(block)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) parsed.push(JSON.parse(line));
  }
  return parsed;
}

/**
 * The replay took so many times what reading the sessions takes when the view was a machine that kept itself up to date (504a7b7), in
 * a run of this measurement.
 */
const before = 53;

/**
 * Compares the replay of all recorded sessions with `priced` with reading them, and that with the same before the view was a
 * plain fold.
 */
export async function replay(): Promise<readonly Row[]> {
  if (recordings === undefined) return [];
  const folder = recordings;
  const read = async (): Promise<void> => {
    for await (const { events } of readSessions(folder)) if (events.length === 0) throw new Error('an empty session');
  };
  const floors: number[] = [];
  for (let round = 0; round < 5; round++) floors.push(await cpuOf(read));
  const policies = [policyFrom('priced', { kind: 'name', name: 'priced' })];
  const time = await cpuOf(async () => {
    for await (const { name, replays } of replayPaths([folder], { policies })) {
      if (replays.some(({ condenserErrors }) => condenserErrors.length > 0)) throw new Error(name);
    }
  });
  const figure = time / Math.min(...floors) / before;
  return [{ what: 'replay of the recorded sessions, to that before the plain fold', figure, limits: [1.5, 1] }];
}
