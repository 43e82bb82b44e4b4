import { expect, onTestFinished, test } from 'vitest';
import { scriptedServer } from '../scripted.js';
import { plannedModel } from './planned-model.js';
import type { PlannedModelOptions } from './planned-model.js';
import type { Plan } from './plan.js';

const plan: Plan = {
  facts: {
    rate: { shows: 'the rate is 417', value: '417', file: 'a.txt', line: 40 },
    said: { shows: 'my number is 9', value: '9' },
    line: { shows: 'old(3)', value: 'old(3)', file: 'b.txt', line: 2 },
  },
  steps: [
    { do: 'read', file: 'a.txt' },
    { do: 'write', file: 'out.txt', text: '{{rate}} {{said}}' },
    { do: 'edit', file: 'b.txt', oldText: '{{line}}', newText: 'new(3)' },
  ],
};

const schema = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});
const tools = {
  read_file: { ...schema('path'), properties: { ...schema('path', 'start_line', 'end_line').properties } },
  write_file: schema('path', 'content'),
  edit_file: schema('path', 'old_text', 'new_text'),
  run_command: schema('command', 'description'),
};

/** Returns the calls that the model makes when its prompts hold these texts, one after another. */
function callsOf(options: Omit<PlannedModelOptions, 'folder'>, prompts: readonly string[]) {
  const model = plannedModel(plan, { folder: '/work', ...options });
  const body = { tools: Object.entries(tools).map(([name, input_schema]) => ({ name, input_schema })) };
  const answers = prompts.map((said, index) =>
    model.script({ ...body, messages: [{ role: 'user', content: said }] }, index),
  );
  const calls = answers.flatMap((answer) => ('calls' in answer ? (answer.calls ?? []) : []));
  return { model, calls: calls.map(({ name, input }) => [name, ...(Object.values(input) as unknown[])]) };
}

const all = 'the rate is 417, my number is 9, old(3)';

test('a model that sees what it needs does the steps', () => {
  for (const kind of ['needy', 'forgetful', 'sloppy', 'indifferent'] as const) {
    const { model, calls } = callsOf({ kind }, [all, all, all, all]);
    expect(calls).toEqual([
      ['read_file', 'a.txt'],
      ['write_file', 'out.txt', '417 9'],
      ['edit_file', 'b.txt', 'old(3)', 'new(3)'],
    ]);
    expect([model.steps, model.rereads, model.guesses]).toEqual([3, 0, 0]);
  }
});

test('a needy model reads again what it misses, and what was only said is lost', () => {
  const { model, calls } = callsOf({ kind: 'needy' }, [all, 'nothing', 'the rate is 417']);
  expect(calls.slice(1)).toEqual([
    ['read_file', 'a.txt'],
    ['write_file', 'out.txt', '417 unknown'],
  ]);
  expect([model.rereads, model.guesses]).toEqual([1, 1]);
});

test('it may read again in part, and by a command', () => {
  const { calls } = callsOf({ kind: 'needy', rereads: 'varied' }, [all, 'nothing', 'nothing', 'my number is 9']);
  expect(calls.slice(1)).toEqual([
    ['read_file', 'a.txt', 30, 50],
    ['run_command', "sed -n '30,50p' a.txt", 'As planned.'],
    ['read_file', 'a.txt', 30, 50],
  ]);
});

test('a forgetful model guesses, and an indifferent one needs nothing', () => {
  expect(callsOf({ kind: 'forgetful' }, ['', '', '']).calls.slice(1)).toEqual([
    ['write_file', 'out.txt', 'unknown unknown'],
    ['edit_file', 'b.txt', 'unknown', 'new(3)'],
  ]);
  expect(callsOf({ kind: 'indifferent' }, ['', '', '']).calls.slice(1)).toEqual([
    ['write_file', 'out.txt', '417 9'],
    ['edit_file', 'b.txt', 'old(3)', 'new(3)'],
  ]);
});

test('a sloppy model reads again after an edit was refused', () => {
  const { calls } = callsOf({ kind: 'sloppy' }, [all, all, '', '', 'old(3)']);
  expect(calls.slice(2)).toEqual([
    ['edit_file', 'b.txt', 'unknown', 'new(3)'],
    ['read_file', 'b.txt'],
    ['edit_file', 'b.txt', 'old(3)', 'new(3)'],
  ]);
});

test.each([true, false])('it answers on Messages and on Chat Completions, streamed: %s', async (stream) => {
  const said = [{ role: 'user', content: 'Begin.' }];
  const parameters = schema('file_path');
  const ask = async (api: 'anthropic' | 'openai', path: string, body: object) => {
    const server = await scriptedServer(api, plannedModel(plan, { kind: 'needy', folder: '/work' }).script);
    onTestFinished(() => server.close());
    const sent = JSON.stringify({ ...body, messages: said, stream });
    return (await fetch(`${server.baseURL}${path}`, { method: 'POST', body: sent })).text();
  };
  const messages = { model: 'claude-haiku-4-5', max_tokens: 900, tools: [{ name: 'Read', input_schema: parameters }] };
  const chat = { model: 'gpt-4o', tools: [{ type: 'function', function: { name: 'read_file', parameters } }] };
  expect((await ask('anthropic', '/v1/messages', messages)).replaceAll('\\', '')).toMatch(/Read"/);
  expect((await ask('openai', '/chat/completions', chat)).replaceAll('\\', '')).toMatch(/read_file"/);
});
