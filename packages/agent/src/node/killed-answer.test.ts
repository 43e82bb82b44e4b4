import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isToolResult } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Conversation } from '../conversation/conversation.js';
import { answeringAgent, callsInAnswer } from '../../test-support/answering-agent.js';
import { bundleProgram, startProgram } from '../../test-support/program-under-test.js';

let directory: string;
let program: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-answers-'));
  program = await bundleProgram('answering-process', directory);
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

const store = () => fileEventStore({ directory, onRepair: () => undefined });
const answerIn = (events: readonly Event[]) =>
  events.filter((event) => event.type === 'action' || (event.type === 'llm-usage' && event.purpose === 'agent'));

/**
 * Runs the program until it kills itself. Resolves to the number of events of the answer in its log, or undefined if it was
 * not killed.
 */
async function killedAt(conversationId: string, where: string, operation: number): Promise<number | undefined> {
  const { process, ended } = startProgram(program, directory, conversationId, where, String(operation));
  const told = await ended;
  if (process.signalCode === null) return undefined;
  expect(process.signalCode).toBe('SIGKILL');
  const stored: Event[] = [];
  for await (const event of store().read(conversationId)) stored.push(event);
  const answer = answerIn(stored);
  expect([0, 1 + callsInAnswer]).toContain(answer.length);
  expect(told).toEqual([]);
  return answer.length;
}

/** Continues the log in this process: every call gets one result, and a missing answer is asked for again. */
async function goesOn(conversationId: string): Promise<void> {
  const conversation = await Conversation.open({ agent: answeringAgent(), store: store(), conversationId });
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
  const events = [...conversation.events];
  const actions = events.filter(({ type }) => type === 'action');
  const answered = events.filter(isToolResult).map(({ actionId }) => actionId);
  expect(actions).toHaveLength(callsInAnswer);
  expect(answered.toSorted()).toEqual(actions.map(({ id }) => id).toSorted());
}

// What stands on the disk before an operation stood there after the last one, so `npm test` tries one of both.
const places = process.env['PALIMPSEST_THOROUGH'] === 'true' ? ['before', 'within', 'after'] : ['within', 'after'];

test.each(places)(
  'kill -9 %s each operation on the log: all events of the answer are on disk, or none, and no call has run',
  async (where) => {
    const found: number[] = [];
    for (let operation = 1; ; operation++) {
      const id = `${where}-${operation}`;
      const events = await killedAt(id, where, operation);
      if (events === undefined) break;
      found.push(events);
      await goesOn(id);
    }
    // At least the body, its sync, the last event and its sync. An answer that is stored stays stored.
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(new Set(found)).toEqual(new Set([0, 1 + callsInAnswer]));
  },
);
