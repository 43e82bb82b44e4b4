import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test-support/any-character.js';
import { conversationFiles, conversationOfLog } from './conversation-files.js';

const ids = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 512 }).filter((id) => id.length <= 512);
const shortIds = fc.string({
  unit: fc.constantFrom(...'aAbBcC019-_. /\\%~é:*€con'.split('')),
  minLength: 1,
  maxLength: 20,
});
const nameOf = (id: string) => basename(conversationFiles('/logs', id).log);

test('G17: a name is a plain file in the folder, short enough, and of characters that every file system keeps', () => {
  fc.assert(
    fc.property(fc.oneof(ids, shortIds), (id) => {
      const { log, lock, torn } = conversationFiles('/logs', id);
      for (const path of [log, lock, torn]) expect(dirname(path)).toBe(join('/logs'));
      expect(nameOf(id)).toMatch(/^~?[a-z0-9_%-]+\.jsonl$/);
      expect(nameOf(id).length).toBeLessThan(230);
      expect(nameOf(id)).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\./);
    }),
    { seed: 20_261_121 },
  );
});

test('a name gives the id back, or names the file that does', () => {
  fc.assert(
    fc.property(fc.oneof(ids, shortIds), (id) => {
      const found = conversationOfLog(nameOf(id));
      if (conversationFiles('/logs', id).id === undefined) expect(found).toEqual({ conversationId: id });
      else expect(found).toEqual({ idFile: nameOf(id).replace('.jsonl', '.id') });
    }),
    { seed: 20_261_121 },
  );
});

test('two ids never have one name, also where capitals and accents do not count', () => {
  fc.assert(
    fc.property(shortIds, shortIds, (one, other) => {
      const same = (id: string) => nameOf(id).toLowerCase().normalize('NFC');
      expect(same(one) === same(other)).toBe(one === other);
    }),
    { seed: 20_261_121 },
  );
});

test.each([
  ['fix-the-test_2', 'fix-the-test_2.jsonl'],
  ['..', '%2e%2e.jsonl'],
  ['../etc', '%2e%2e%2fetc.jsonl'],
  ['Con', '%43on.jsonl'],
  ['con', '%63on.jsonl'],
  ['é', '%c3%a9.jsonl'],
  ['~x', '%7ex.jsonl'],
])('%s is kept in %s', (id, name) => {
  expect(nameOf(id)).toBe(name);
});

test.each(['notes.txt', 'Capital.jsonl', '%zz.jsonl', '%2E.jsonl', '.jsonl', 'a b.jsonl', 'con.jsonl', '~abc.jsonl'])(
  '%s is no log of ours',
  (name) => {
    expect(conversationOfLog(name)).toBeUndefined();
  },
);
