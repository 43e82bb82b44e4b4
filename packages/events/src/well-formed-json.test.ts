import { expect, it } from 'vitest';
import { wellFormedJson } from './well-formed-json.js';

it('gives data back that is well-formed, the same object', () => {
  const data = { text: 'a 😀', list: [{ deep: [1, null, true, 'ü'] }], nothing: null };
  expect(wellFormedJson(data)).toBe(data);
  expect(wellFormedJson('😀')).toBe('😀');
  expect(wellFormedJson(7)).toBe(7);
});

it('puts U+FFFD in the place of halves, in texts and keys, however deep', () => {
  const sound = { kept: ['ok'] };
  const data = { sound, list: ['a\ud83d', { 'k\ude00': { deep: '\ud83d' } }] };
  const found = wellFormedJson(data);
  expect(found).toEqual({ sound, list: ['a\ufffd', { 'k\ufffd': { deep: '\ufffd' } }] });
  expect(found.sound).toBe(sound);
  expect(data.list[0]).toBe('a\ud83d');
});

it('loses no value where keys become equal', () => {
  const found = wellFormedJson({ '\ud83d': 1, '\ufffd': 2, '\ude00': 3 });
  expect(found).toEqual({ '\ufffd': 2, '\ufffd\ufffd': 1, '\ufffd\ufffd\ufffd': 3 });
});

it('keeps a key named __proto__ a key', () => {
  const data = JSON.parse('{"__proto__":{"a":"\\ud83d"}}') as object;
  const found = wellFormedJson(data);
  expect(Object.keys(found)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  expect(JSON.stringify(found)).toBe('{"__proto__":{"a":"\ufffd"}}');
});
