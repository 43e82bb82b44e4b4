import { defineTool } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { relevanceCondenser } from './condenser.js';
import byDefault from './index.js';
import { observationLabel } from './labels.js';
import { recallTool } from './recall/recall-tool.js';
import { relevanceTool } from './tool.js';
import { relevanceWiringProblems } from './wiring.js';

const other = defineTool({ name: 'run', description: 'Run.', input: z.object({}), execute: () => 'ok' });
const render = { labelObservation: observationLabel };
const noOp: Condenser = { name: 'no-op', condense: (view) => view };
const waiting: Condenser = { ...noOp, stages: [{ ...noOp, stages: [relevanceCondenser({ apply: 'batched' })] }] };
const wrapped: Condenser = { name: 'mine', condense: (view, context) => relevanceCondenser().condense(view, context) };

describe('wiring', () => {
  test.each([relevanceCondenser(), relevanceCondenser({ apply: 'batched' }), wrapped, waiting])(
    'is complete with $name',
    async (condenser) => {
      expect(await relevanceWiringProblems({ tools: [other, relevanceTool()], condenser, render })).toEqual([]);
    },
  );

  test('without the tool and the condenser nothing is missing', async () => {
    expect(await relevanceWiringProblems({ tools: [other] })).toEqual([]);
    expect(await relevanceWiringProblems({ tools: [other], condenser: noOp })).toEqual([]);
  });

  test('a tool without a condenser promises what never happens', async () => {
    const tools = [relevanceTool()];
    expect(await relevanceWiringProblems({ tools, render })).toMatchObject([
      expect.stringContaining('there is no condenser'),
    ]);
    expect(await relevanceWiringProblems({ tools, render, condenser: noOp })).toMatchObject([
      expect.stringContaining("'no-op' applies none"),
    ]);
  });

  test('a condenser without the tool, labels that are not on, a recall that is only promised', async () => {
    const condenser = relevanceCondenser();
    expect(await relevanceWiringProblems({ tools: [other], condenser })).toMatchObject([
      expect.stringContaining('no tool'),
    ]);
    expect(await relevanceWiringProblems({ tools: [relevanceTool()], condenser })).toMatchObject([
      expect.stringContaining('labelObservation'),
    ]);
    const promising = relevanceTool({ recall: true });
    expect(await relevanceWiringProblems({ tools: [promising], condenser, render })).toMatchObject([
      expect.stringContaining("no 'recall'"),
    ]);
    expect(await relevanceWiringProblems({ tools: [promising, recallTool()], condenser, render })).toEqual([]);
  });

  test('no verdict on a condenser that would rather forget the probe', async () => {
    const eager: Condenser = {
      name: 'eager',
      condense: (view) => condensation({ view, start: 1, end: view.events.length }),
    };
    expect(await relevanceWiringProblems({ tools: [relevanceTool()], condenser: eager, render })).toEqual([]);
  });
});

test('the default export defines the condenser', () => {
  expect(byDefault.name).toBe('relevance');
  expect(byDefault.create({ apply: 'batched', batching: { expectedCalls: 20 } }).name).toBe('relevance');
});

test('unknown options are refused', () => {
  expect(byDefault.options.safeParse({ aply: 'batched' }).success).toBe(false);
  expect(() => byDefault.create({ batching: { pressure: 2 } })).toThrow();
});
