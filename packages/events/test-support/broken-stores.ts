import type { ConversationWriter, EventStore } from '../src/event-store.js';
import { EventStoreError } from '../src/errors.js';
import { parseEvent } from '../src/parse-event.js';
import { eventStoreContract } from '../src/testing/event-store-contract.js';
import type { StoreUnderTest } from '../src/testing/store-rule.js';

/** One thing that a store gets wrong, and the rule that must notice. */
export interface Flaw {
  readonly flaw: string;
  readonly rule: string;
  readonly breakStore: (good: EventStore) => Partial<EventStore>;
}

interface RegisteredRule {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export function rulesOf(create: () => StoreUnderTest, reopens: boolean): readonly RegisteredRule[] {
  const rules: RegisteredRule[] = [];
  eventStoreContract({ test: (name, run) => rules.push({ name, run }), create, reopens });
  return rules;
}

export function ruleOf(create: () => StoreUnderTest, name: string): () => Promise<void> {
  const rule = rulesOf(create, true).find((candidate) => candidate.name.includes(name));
  if (rule === undefined) throw new Error(`there is no rule '${name}'`);
  return rule.run;
}

export function broken(good: EventStore, breakStore: Flaw['breakStore']): EventStore {
  return {
    append: (id, events, options) => good.append(id, events, options),
    read: (id, options) => good.read(id, options),
    list: () => good.list(),
    ...(good.openForWriting === undefined
      ? {}
      : { openForWriting: async (id) => changed(await good.openForWriting?.(id), () => ({})) }),
    ...breakStore(good),
  };
}

/** A writer of the good store with something else in place of a method. */
export function changed(
  writer: ConversationWriter | undefined,
  change: (writer: ConversationWriter) => Partial<ConversationWriter>,
): ConversationWriter {
  if (writer === undefined) throw new Error('the good store cannot be opened for writing');
  return { ...writer, ...change(writer) };
}

/** A writer that keeps nobody out. */
export function writerOn(good: EventStore, id: string): ConversationWriter {
  let last: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  return {
    append(events, options) {
      if (!isOpen) throw new EventStoreError('closed');
      const parsed = events.map((event) => parseEvent(event));
      const appended = last.then(async () => good.append(id, parsed, options));
      last = appended.catch(() => undefined);
      return appended;
    },
    async close() {
      isOpen = false;
      await last;
    },
  };
}
