import { expect, test } from 'vitest';
import { remembered } from './remembered.js';

test('it computes once for a subject, and anew when something else goes with it', () => {
  let computed = 0;
  const sum = remembered(({ left }: { readonly left: number }, right: number | undefined) => {
    computed++;
    return right === undefined ? undefined : left + right;
  });
  const [one, two] = [{ left: 1 }, { left: 2 }];
  expect([sum(one, 1), sum(one, 1), sum(two, 1)]).toEqual([2, 2, 3]);
  expect(computed).toBe(2);
  expect([sum(one, 2), sum(one, 1)]).toEqual([3, 2]);
  expect([sum(one, undefined), sum(one, undefined)]).toEqual([undefined, undefined]);
  expect(computed).toBe(5);
});
