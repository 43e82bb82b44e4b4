import { parseEvent } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { View } from '../index.js';
import { addFeatureCounts, cleanFeatures, dirtyFeatures } from './log-features.js';
import { randomLog } from './random-log.js';
import type { RandomLogOptions } from './random-log.js';

const many = (options: Omit<RandomLogOptions, 'seed'>) =>
  Array.from({ length: fewer(600) }, (_, seed) => randomLog({ ...options, seed }));

test('the same options make the same log, other seeds another', () => {
  for (const dirty of [false, true]) {
    expect(randomLog({ seed: 3, dirty })).toEqual(randomLog({ seed: 3, dirty }));
    expect(randomLog({ seed: 3, dirty }).events).not.toEqual(randomLog({ seed: 4, dirty }).events);
  }
});

test('every event is valid and survives JSON', () => {
  for (const { events } of many({ length: 30, dirty: true })) {
    for (const event of events) expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  }
});

describe('what is in the logs', () => {
  test('clean: everything clean, nothing dirty; every call answered, nothing left out but old system prompts', () => {
    const logs = many({ length: 60 });
    const counts = addFeatureCounts(logs.map((log) => log.counts));
    for (const feature of cleanFeatures) expect(counts[feature], feature).toBeGreaterThan(0);
    for (const feature of dirtyFeatures) expect(counts[feature], feature).toBe(0);
    for (const { name, events } of logs) {
      const view = View.fromEvents(events);
      expect([...view.leftOut.values()], name).toEqual([]);
      expect([...view.notes], name).toEqual([]);
    }
  });

  test('dirty: everything', () => {
    const counts = addFeatureCounts(many({ length: 60, dirty: true }).map((log) => log.counts));
    for (const feature of [...cleanFeatures, ...dirtyFeatures]) expect(counts[feature], feature).toBeGreaterThan(0);
  });

  test('on request no condensation and no revert', () => {
    for (const dirty of [false, true]) {
      const types = many({ dirty, decisions: false }).flatMap(({ events }) => events.map(({ type }) => type));
      expect(types.filter((type) => type === 'condensation' || type === 'condensation-revert')).toEqual([]);
    }
  });
});

test('ids begin with the prefix, so that logs can be put one behind the other', () => {
  const events = [...randomLog({ seed: 1 }).events, ...randomLog({ seed: 1, idPrefix: 'other-' }).events];
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});
