import { expect, test } from 'vitest';
import { condenserByName, condenserNames } from './by-name.js';
import { CondenserNotFoundError } from './errors.js';

test('every name gives a condenser of that name', () => {
  expect(condenserNames).toEqual(['noOp', 'recentEvents', 'observationMasking', 'extractiveSummary', 'pipeline']);
  for (const name of condenserNames) expect(condenserByName(name).name).toBe(name);
});

test.each(['summary', '', 'toString', '__proto__'])("'%s' is not known, and the error lists what is", (name) => {
  expect(() => condenserByName(name)).toThrow(CondenserNotFoundError);
  expect(() => condenserByName(name)).toThrow(/Known are: noOp, recentEvents, observationMasking/);
});
