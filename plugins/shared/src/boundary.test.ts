import { expect, it } from 'vitest';
import { Boundary } from './boundary.js';

const failing = () => Promise.reject(new Error('the disk is full'));
const steps = (boundary: Boundary, count: number) => Array.from({ length: count }, () => boundary.step());

it('returns what work returns', async () => {
  const boundary = new Boundary();
  expect(await boundary.run(async () => 7)).toBe(7);
  expect(boundary.step()).toBe(true);
  expect(boundary.problem).toBeUndefined();
});

it('tries nothing for 20 steps after a failure, and says so until then', async () => {
  const boundary = new Boundary();
  expect(await boundary.run(failing)).toBeUndefined();
  expect(boundary.problem).toBe('no condensation for 20 steps: the disk is full');

  expect(steps(boundary, 20)).toEqual(Array(20).fill(false));
  expect(boundary.problem).toBeUndefined();
  expect(boundary.step()).toBe(true);
});

it('tries nothing after three failures', async () => {
  const boundary = new Boundary();
  for (let failure = 0; failure < 3; failure++) {
    steps(boundary, 21);
    await boundary.run(failing);
  }
  expect(steps(boundary, 100)).toEqual(Array(100).fill(false));
  expect(boundary.problem).toBe('no condensation in this session: the disk is full');
});
