// A process that appends to a log: bundled and run by the tests that kill it, or take its disk away.
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { ConcurrencyError, ConversationBusyError, EventStoreError, WriterOustedError } from '../../src/errors.js';
import { eventFactory } from '../../src/create-event.js';
import type { ConversationWriter } from '../../src/event-store.js';
import type { Event } from '../../src/event.js';
import { errorCode } from '../../src/file/files.js';
import { fileEventStore } from '../../src/file/file-event-store.js';
import { stopAt } from './stop-at.js';

/** The work of the process. */
export interface WriterProcessOptions {
  /** The number of appends after which it ends by itself. @defaultValue never */
  readonly appends?: number;
  /** The number of appends that it makes at the same time. @defaultValue 1 */
  readonly together?: number;
  /** The text of every fourth append. */
  readonly largeBytes?: number;
  /** Opens the log for writing, for so many appends each time. @defaultValue it appends without */
  readonly held?: number;
  /** Does not close what it has opened. */
  readonly leavesOpen?: boolean;
  /** After how many failed appends it ends. @defaultValue 1 */
  readonly failures?: number;
  /** Stops itself before this operation on files. */
  readonly stopAt?: number;
  readonly machineId?: string;
  /** The factor by which it sees others fall silent faster than they do. @defaultValue 1 */
  readonly clockSpeed?: number;
}

const [directory = '', conversationId = '', prefix = '', optionsJson = '{}'] = argv.slice(2);
const options = JSON.parse(optionsJson) as WriterProcessOptions;
const { appends = Infinity, together = 1, largeBytes = 0, held, clockSpeed = 1, machineId } = options;
const store = fileEventStore({
  directory,
  onRepair: (report) => tell('repair', report.repair),
  monotonicNow: () => performance.now() * clockSpeed,
  machineId,
});
let made = 0;
const createEvent = eventFactory({ newId: () => `${prefix}${++made}` });
const message = (text: string) =>
  createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text }] });

let expectedVersion = 0;
await catchUp();
tell('read', String(expectedVersion));
if (options.stopAt !== undefined) await stopAt(options.stopAt);

let writer: ConversationWriter | undefined;
let failures = 0;
let isOusted = false;
for (let round = 0; round * together < appends && failures < (options.failures ?? 1); round++) {
  if (held !== undefined && round % held === 0) writer = await opened();
  await appendTogether(round * together);
  if (held !== undefined && round % held === held - 1) await closed();
}
if (options.leavesOpen !== true) await closed();

async function appendTogether(first: number): Promise<void> {
  let version = expectedVersion;
  const underWay = Array.from({ length: together }, (_, index) => {
    const append = first + index;
    const text = 'x'.repeat(append % 4 === 3 ? largeBytes : 20);
    const events = Array.from({ length: 1 + (append % 3) }, () => message(text));
    const appended = appendOne(events, version);
    version += events.length;
    return appended;
  });
  await Promise.all(underWay);
  if (isOusted) {
    isOusted = false;
    await closed();
    writer = await opened();
  }
}

async function appendOne(events: readonly Event[], version: number): Promise<void> {
  const ids = events.map((event) => event.id).join(',');
  tell('try', ids);
  try {
    const given = { expectedVersion: version };
    const appended = writer === undefined ? store.append(conversationId, events, given) : writer.append(events, given);
    expectedVersion = (await appended).version;
    tell('done', ids);
  } catch (error) {
    if (ConcurrencyError.isInstance(error)) {
      expectedVersion = error.actualVersion ?? expectedVersion;
      tell('lost', ids);
    } else if (WriterOustedError.isInstance(error)) {
      tell('ousted', ids);
      isOusted = true;
    } else if (ConversationBusyError.isInstance(error)) {
      tell('busy', ids);
    } else if (EventStoreError.isInstance(error)) {
      tell('failed', errorCode(error.cause) ?? 'no code');
      failures++;
    } else throw error;
  }
}

async function opened(): Promise<ConversationWriter> {
  for (;;) {
    try {
      const next = await store.openForWriting?.(conversationId);
      if (next === undefined) throw new Error('the store cannot be opened for writing');
      await catchUp();
      tell('open', String(expectedVersion));
      return next;
    } catch (error) {
      if (!ConversationBusyError.isInstance(error)) throw error;
      // Its turn comes when it comes.
      await delay(Math.random() * 20);
    }
  }
}

async function closed(): Promise<void> {
  if (writer === undefined) return;
  await writer.close();
  writer = undefined;
  tell('closed', String(expectedVersion));
}

async function catchUp(): Promise<void> {
  for await (const _ of store.read(conversationId, { from: expectedVersion })) expectedVersion++;
}

// Written at once and not through a stream, so that what was told before the kill is in the pipe.
function tell(what: string, detail: string): void {
  for (;;) {
    try {
      return void writeSync(1, `${what} ${detail}\n`);
    } catch (error) {
      // The pipe is full: whoever reads it is slower.
      if (errorCode(error) !== 'EAGAIN') throw error;
    }
  }
}
