import assert from 'node:assert/strict';
import { InvalidConversationIdError } from '../errors.js';
import { failsWith, listAll, messages, readAll } from './store-rule.js';
import type { StoreRule } from './store-rule.js';

// Ids that a file system, a URL or a database may take for a path, a wildcard, a device or a duplicate name.
const difficultIds: readonly string[] = [
  ...[
    '.',
    '..',
    '../c',
    '/',
    '/etc/passwd',
    'a/b',
    'a\\b',
    '~',
    'C:',
    '-rf',
    ' c',
    'c ',
    'c.',
    '.c',
    'c',
    'C',
    'É',
    'é',
  ],
  ...[
    'e\u0301',
    '\u0000',
    'a\u0000b',
    '\n',
    '%',
    '%63',
    '%2e',
    '%2E',
    '*',
    '?',
    "'; --",
    '🗒️',
    'con',
    'NUL',
    'com1.jsonl',
  ],
  ...['c.jsonl', 'c.lock', '__proto__', 'constructor', '\ufeffc', 'k', 'K', '\u212a', 'x'.repeat(512), 'X'.repeat(512)],
  ...['x'.repeat(511), '🗒'.repeat(256), '€'.repeat(512), `${'../'.repeat(170)}c`],
];

/** The promises of conversations. */
export const conversationRules: readonly StoreRule[] = [
  {
    name: 'conversations are apart, and are listed with their versions',
    async check({ store }) {
      assert.deepEqual(await listAll(store), []);
      await store.append('a', messages(2, 'a-'));
      await store.append('b', messages(3, 'b-'));
      await store.append('a', messages(1, 'more-'));
      assert.deepEqual(await listAll(store), [
        ['a', 3],
        ['b', 3],
      ]);
      assert.deepEqual(await readAll(store, 'b'), messages(3, 'b-'));
    },
  },
  {
    name: 'a conversation id is data: any text of 1 to 512 characters is one, and no two are the same',
    async check({ store }) {
      for (const [index, id] of difficultIds.entries()) await store.append(id, messages(1, `${index}-`));
      for (const [index, id] of difficultIds.entries()) {
        assert.deepEqual(await readAll(store, id), messages(1, `${index}-`), `the conversation ${JSON.stringify(id)}`);
      }
      assert.deepEqual(
        (await listAll(store)).map(([id]) => id),
        [...difficultIds].sort(),
      );
    },
  },
  {
    name: 'what is no conversation id is refused with InvalidConversationIdError',
    async check({ store }) {
      for (const id of ['', 'x'.repeat(513), '\ud800', undefined, 7] as string[]) {
        await failsWith(InvalidConversationIdError, async () => store.append(id, messages(1)));
        await failsWith(InvalidConversationIdError, async () => readAll(store, id));
      }
      assert.deepEqual(await listAll(store), []);
    },
  },
];
