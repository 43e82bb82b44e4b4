import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Conversation, finishTool } from '@palimpsest/agent';
import { EventLog, memoryEventStore, newEventId, parseEvent } from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import { cpuClock, measure, rowsOf, wallClock } from './measure.js';
import type { Row, Subject } from './measure.js';

const eventCount = 200;
const together = 20;
const rounds = 15;

/** Makes an event of about 600 bytes, with an id of its own. */
export const appendedEvent = (): Event =>
  parseEvent({
    type: 'observation',
    id: newEventId(),
    timestamp: '2026-01-01T00:00:00.000Z',
    source: 'environment',
    toolName: 'read_file',
    toolCallId: 'call',
    actionId: 'action',
    content: [{ type: 'text', text: 'x'.repeat(400) }],
  });

/**
 * Measures appends of one event of about 600 bytes: sequential, and twenty at the same time. Floor: a write of the bytes, file
 * held open.
 */
export async function appends(): Promise<readonly Row[]> {
  const events = Array.from({ length: eventCount }, appendedEvent);
  const rows: Row[] = [];
  for (const fsync of [true, false]) {
    const directory = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
    const file = await open(join(directory, 'floor'), 'a');
    const store = fileEventStore({ directory, fsync });
    const writer = await store.openForWriting('writer');
    const held = await EventLog.open('log', { store });
    const right = await held.openForWriting();
    const fresh = (log: readonly Event[]) => log.map((one) => ({ ...one, id: newEventId() }));
    const floor: Subject = {
      name: 'write',
      run: async () => {
        for (const one of events) await writeOne(file, one, fsync);
      },
    };
    const subjects: readonly Subject[] = [
      {
        name: 'append of a writer',
        run: async () => {
          for (const one of events) await writer.append([one]);
        },
      },
      {
        name: 'append of a log that is open for writing',
        run: async () => {
          for (const one of fresh(events)) await held.append(one);
        },
      },
      {
        name: 'append of the store, which nobody has open',
        run: async () => {
          for (const one of events) await store.append('single', [one]);
        },
      },
      {
        name: `append of a writer, ${together} at a time`,
        run: () => inGroups(events, (one) => writer.append([one])),
      },
      {
        name: `append of a log that is open for writing, ${together} at a time`,
        run: () => inGroups(fresh(events), (one) => held.append(one)),
      },
      {
        name: `append of the store, ${together} at a time`,
        run: () => inGroups(events, (one) => store.append('single', [one])),
      },
    ];
    const disk = fsync ? 'a write and fdatasync' : 'a write';
    rows.push(...rowsOf(`to ${disk}, CPU`, await measure(floor, subjects, rounds, cpuClock)));
    rows.push(...rowsOf(`to ${disk}, time`, await measure(floor, subjects, rounds, wallClock)));
    await right.close();
    await writer.close();
    await file.close();
    await rm(directory, { recursive: true });
  }
  return rows;
}

async function writeOne(file: FileHandle, event: Event, fsync: boolean): Promise<void> {
  await file.write(Buffer.from(`${JSON.stringify(event)}\n`));
  if (fsync) await file.datasync();
}

async function inGroups(events: readonly Event[], append: (event: Event) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < events.length; from += together) {
    await Promise.all(events.slice(from, from + together).map(append));
  }
}

const conversations = 200;
const steps = 10;

/**
 * Measures the throughput of agents: many concurrent conversations, each with several steps of a call and its result. Floor: the
 * memory store.
 */
export async function agentSteps(): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  let run = 0;
  const subject = (name: string, store: () => EventStore): Subject => ({ name, run: () => runAgents(store(), run++) });
  const timings = await measure(
    subject('the memory store', memoryEventStore),
    [
      subject('the file store without fsync', () => fileEventStore({ directory, fsync: false })),
      subject('the file store', () => fileEventStore({ directory })),
    ],
    5,
    cpuClock,
  );
  await rm(directory, { recursive: true });
  return rowsOf(`${conversations} conversations of ${steps} steps, to the memory store`, timings);
}

async function runAgents(store: EventStore, run: number): Promise<void> {
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    input: z.object({ left: z.number(), right: z.number() }),
    execute: ({ left, right }) => String(left + right),
  });
  await Promise.all(
    Array.from({ length: conversations }, async (_, index) => {
      const script = Array.from({ length: steps }, (__, step) =>
        step === steps - 1 ? 'Done.' : { toolCalls: [{ name: 'add', arguments: { left: step, right: 1 } }] },
      );
      const agent = new Agent({ llm: scriptedLLM({ script }), tools: [add, finishTool()] });
      const conversation = await Conversation.open({ agent, store, conversationId: `run-${run}-${index}` });
      await conversation.send('Add the numbers.');
      await conversation.run();
      await conversation.close();
    }),
  );
}
