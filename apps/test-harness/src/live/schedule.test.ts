import { expect, test } from 'vitest';
import { schedule } from './schedule.js';
import type { TaskFolder } from './task-folder.js';

const tasks = ['a', 'b', 'c', 'd'].map((name) => ({ name }) as TaskFolder);
const arms = ['none', 'one', 'two'].map((name) => ({ name }));
const namesOf = (seed: number) =>
  schedule(tasks, arms, 2, seed).map(({ task, arm, trial }) => [trial, task.name, arm.name]);

test('every trial is there once, the arms of a task next to each other', () => {
  const names = namesOf(1);
  expect(new Set(names.map(String)).size).toBe(24);
  for (let at = 0; at < names.length; at += arms.length)
    expect(new Set(names.slice(at, at + arms.length).map(([trial, task]) => `${trial} ${task}`)).size).toBe(1);
});

test('the order is that of the seed', () => {
  expect(namesOf(1)).toEqual(namesOf(1));
  expect(namesOf(1)).not.toEqual(namesOf(2));
  expect(new Set(Array.from({ length: 30 }, (_, seed) => namesOf(seed)[0]?.[2])).size).toBe(3);
});
