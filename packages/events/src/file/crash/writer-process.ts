// A process that appends to a log: bundled and run by the tests that kill it, or take its disk away.
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { ConcurrencyError, EventStoreError } from '../../errors.js';
import { eventFactory } from '../../create-event.js';
import { errorCode } from '../file-system-error.js';
import { fileEventStore } from '../file-event-store.js';

const [directory = '', conversationId = '', prefix = '', optionsJson = '{}'] = argv.slice(2);
const { appends = Infinity, largeBytes = 0 } = JSON.parse(optionsJson) as {
  /** When it ends by itself. */
  readonly appends?: number;
  /** The text of every fourth append. */
  readonly largeBytes?: number;
};
const store = fileEventStore({ directory, onRepair: (report) => tell('repair', report.repair) });
let made = 0;
const createEvent = eventFactory({ newId: () => `${prefix}${++made}` });
const message = (text: string) =>
  createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text }] });

let expectedVersion = 0;
for await (const _ of store.read(conversationId)) expectedVersion++;
tell('read', String(expectedVersion));

for (let append = 0; append < appends; append++) {
  const text = 'x'.repeat(append % 4 === 3 ? largeBytes : 20);
  const events = Array.from({ length: 1 + (append % 3) }, () => message(text));
  const ids = events.map((event) => event.id).join(',');
  tell('try', ids);
  try {
    const { version } = await store.append(conversationId, events, { expectedVersion });
    expectedVersion = version;
    tell('done', ids);
  } catch (error) {
    if (ConcurrencyError.isInstance(error)) {
      expectedVersion = error.actualVersion ?? expectedVersion;
      tell('lost', ids);
    } else if (EventStoreError.isInstance(error)) {
      tell('failed', errorCode(error.cause) ?? 'no code');
      break;
    } else throw error;
  }
}

// Written at once and not through a stream, so that what was told before the kill is in the pipe.
function tell(what: string, detail: string): void {
  writeSync(1, `${what} ${detail}\n`);
}
