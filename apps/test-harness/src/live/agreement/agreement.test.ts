import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { llmByName } from '@palimpsest/llm-adapters/by-name';
import { scriptedServer } from '@palimpsest/provider-servers';
import type { Condenser } from '@palimpsest/view';
import { expect, onTestFinished, test } from 'vitest';
import { agreementIn, agreementRows } from './agreement.js';
import type { AgreementPoint } from './agreement.js';
import { actionOf } from './next-action.js';

const createEvent = eventFactory();
const steps = 20;

/** A session that reads files, each for a word that stands in the first result. */
function session(): readonly Event[] {
  const events: Event[] = [
    createEvent('message', { role: 'user', source: 'user', content: [{ type: 'text', text: 'Read all.' }] }),
  ];
  for (let step = 0; step < steps; step++) {
    const toolCallId = `call-${step}`;
    const action = createEvent('action', {
      thought: [],
      toolCall: { id: toolCallId, name: 'read', arguments: JSON.stringify({ path: `f${step}.txt` }) },
      llmResponseId: `response-${step}`,
    });
    const text = step === 0 ? 'The word is harbour.' : 'Nothing here.';
    events.push(
      action,
      createEvent('observation', {
        toolName: 'read',
        toolCallId,
        actionId: action.id,
        content: [{ type: 'text', text }],
      }),
    );
  }
  return events;
}

/** A model that does what was recorded if it sees the word, and another thing if not. */
async function model() {
  const server = await scriptedServer('openai', (body) => {
    const text = JSON.stringify(body['messages']);
    const next = (text.match(/f\d+\.txt/g) ?? []).length;
    const last = /f(\d+)\.txt(?!.*f\d+\.txt)/s.exec(text)?.[1] ?? String(next);
    const path = text.includes('harbour') ? `f${Number(last) + 1}.txt` : 'f0.txt';
    return { calls: [{ id: 'call_1', name: 'read', input: { path } }] };
  });
  onTestFinished(() => server.close());
  return { server, llm: await llmByName('gpt-5', { baseURL: server.baseURL }) };
}

test('an answer is compared with the record, and asked only where something was condensed', async () => {
  const { llm, server } = await model();
  const forgets = {
    name: 'forgets',
    create: () => ({
      name: 'forgets',
      condense: (view: Parameters<Condenser['condense']>[0]) =>
        view.without(new Set(view.events.slice(1, 3).map(({ id }) => id))),
    }),
  };
  const same = (name: string) => ({ name, create: () => ({ name, condense: (view: never) => view }) });
  const points: AgreementPoint[] = [];
  const options = {
    llm,
    policies: [same('none'), same('same'), forgets],
    points: 5,
    seed: 1,
    signal: new AbortController().signal,
  };
  for await (const point of agreementIn({ name: 's', events: session() }, options)) points.push(point);

  expect(points).toHaveLength(5);
  expect(points.every(({ call }) => call > steps / 2 && call <= steps)).toBe(true);
  expect(agreementRows(points)).toEqual([
    { policy: 'none', points: 5, condensed: 0, sameTool: 5, sameTarget: 5, lost: 0, won: 0 },
    { policy: 'same', points: 5, condensed: 0, sameTool: 5, sameTarget: 5, lost: 0, won: 0 },
    { policy: 'forgets', points: 5, condensed: 5, sameTool: 5, sameTarget: 0, lost: 5, won: 0 },
  ]);
  expect(server.requests).toHaveLength(10);
});

test('the target of a call is its path or its command', () => {
  const of = (name: string, input: object) => actionOf({ name, arguments: JSON.stringify(input) });
  expect(of('Edit', { old_string: 'a', file_path: '/a.ts' })).toEqual({ tool: 'Edit', target: '/a.ts' });
  expect(of('bash', { command: ' npm  test\n' }).target).toBe('npm test');
  expect(of('todo', { items: ['a'] }).target).toBe('{"items":["a"]}');
});
