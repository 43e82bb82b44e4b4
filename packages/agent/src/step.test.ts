import { createEvent, defineTool, eventFactory, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from './agent.js';
import type { AgentParts } from './agent-options.js';
import { ConversationStateProjection } from './state.js';
import { readOutputTool } from './tool-calls/built-in-tools.js';
import { beginStep } from './step.js';
import type { StepOptions } from './step.js';

/** Reads the log and one event of it, as tools of any kind may. */
const inspect = defineTool({
  name: 'inspect',
  description: 'Says what stands in the log.',
  input: z.object({}),
  execute: (_, { log, event, actionId }) => {
    const types = [...log].map(({ type }) => type);
    return `${types.join(' ')}; this call: ${event(actionId)?.type}; ${'x'.repeat(600)}`;
  },
});

const script: Script = ({ messages }, index) => {
  if (index === 2) return 'Done.';
  const handle = /handle '([^']+)'/.exec(JSON.stringify(messages))?.[1];
  const read = { name: 'read_output', arguments: { handle: handle ?? 'none', length: 400 } };
  return { toolCalls: [{ name: 'inspect' }, ...(index === 0 ? [] : [read]), { name: 'inspect' }] };
};

/** The same host but for when it appends what is emitted to the state. */
type Host = (state: ConversationStateProjection, emitted: Event[]) => StepOptions;

const hosts: Readonly<Record<string, Host>> = {
  'appends each event inside onEvent': (state, emitted) => ({
    onEvent: (event) => {
      emitted.push(event);
      state.append(event);
    },
  }),
  'appends each event when onEvent is over': (state, emitted) => ({
    onEvent: (event) => {
      emitted.push(event);
      setImmediate(() => state.append(event));
    },
  }),
  'appends batches inside onEvents': (state, emitted) => ({
    onEvents: (batch) => {
      emitted.push(...batch);
      for (const event of batch) state.append(event);
    },
  }),
};

/** Three steps with a host; `after` runs between two of them. */
async function run(host: Host, after: (state: ConversationStateProjection, emitted: readonly Event[]) => unknown) {
  let id = 0;
  const create = eventFactory({ newId: () => `event-${++id}`, now: () => new Date(0) });
  const llm = scriptedLLM({ script });
  const agent = new Agent({
    llm,
    tools: [inspect, readOutputTool()],
    output: { maxCharacters: 300 },
    createEvent: create,
  });
  const state = ConversationStateProjection.fromEvents([
    create('message', { source: 'user', role: 'user', content: [{ type: 'text', text: 'Go.' }] }),
  ]);
  const all: Event[] = [];
  const outcomes: unknown[] = [];
  for (let step = 0; step < 3; step++) {
    const emitted: Event[] = [];
    outcomes.push(await agent.step(state, host(state, emitted)));
    await after(state, emitted);
    all.push(...emitted);
  }
  return { all, outcomes, log: [...state.log].slice(1), requests: llm.requests.map(({ messages }) => messages) };
}

describe('a step gives the same result, whenever its host appends what it emits to the state', () => {
  test.each(Object.entries(hosts))('a host that %s', async (_, host) => {
    const expected = await run(hosts['appends each event inside onEvent'] as Host, () => undefined);
    const settled = () => new Promise(setImmediate);
    const result = await run(host, settled);
    expect(result).toEqual(expected);
    expect(result.log).toEqual(result.all);
  });

  test.each(['onEvent', 'onEvents'])('a host that appends after the step, with %s', async (name) => {
    const expected = await run(hosts['appends each event inside onEvent'] as Host, () => undefined);
    const collecting: Host = (_, emitted) =>
      name === 'onEvent'
        ? { onEvent: (event) => void emitted.push(event) }
        : { onEvents: (batch) => void emitted.push(...batch) };
    const result = await run(collecting, (state, emitted) => {
      for (const event of emitted) state.append(event);
    });
    expect(result).toEqual(expected);
    // Each call saw the result before it, though the state did not hold it yet.
    expect(JSON.stringify(result.all)).toContain('action action agent/tool-output observation; this call: action');
  });
});

test('with both, onEvents is called and onEvent is not', async () => {
  const batches: (readonly Event[])[] = [];
  const single: Event[] = [];
  const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
  await new Agent({ llm: scriptedLLM({ script: ['Done.'] }) }).step(state, {
    onEvent: (event) => void single.push(event),
    onEvents: (batch) => void batches.push(batch),
  });
  expect(single).toEqual([]);
  expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['llm-usage', 'message']]);
});

test('with neither, the step fails before the model is called', async () => {
  const llm = scriptedLLM({ script: ['Done.'] });
  const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
  await expect(new Agent({ llm }).step(state, {} as StepOptions)).rejects.toThrow(
    new TypeError('onEvent or onEvents must be given.'),
  );
  expect(llm.requests).toEqual([]);
});

test('an event that the host has changed before it appended it is seen as the host has logged it, once', async () => {
  const state = ConversationStateProjection.fromEvents([]);
  const { events, emit } = beginStep({ llm: scriptedLLM({ script: [] }) } as Partial<AgentParts> as AgentParts, state, {
    onEvents: () => undefined,
  });
  const event = createEvent('pause', {});
  const other = createEvent('pause', {});
  await emit(event, other);
  expect([...events]).toEqual([event, other]);
  const logged = { ...event, timestamp: '2026-01-01T00:00:00.000Z' };
  state.append(logged);
  expect([...events]).toEqual([logged, other]);
  expect(events.get(event.id)).toBe(logged);
  expect(events.get(other.id)).toBe(other);
  expect(events.get('nobody')).toBeUndefined();
});
