import type { AssistantMessage, Message, ToolMessage } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { samplePlan } from './demo.js';
import { nextTurn } from './offline-model.js';
import type { Plan, PlannedCall, PlanStep } from './offline-model.js';

const planOf = (...steps: readonly PlanStep[]): Plan => ({ task: 'Go.', test: 'npm test', known: {}, steps });
const step = (name: string, say: string, ...calls: readonly PlannedCall[]): PlanStep => ({ name, say, calls });
const read = (path: string): PlannedCall => ({ tool: 'read_file', input: { path } });
const edit = (path: string, old: string, fresh: string): PlannedCall => ({
  tool: 'edit_file',
  input: { path, old_text: old, new_text: fresh },
});

const plan = planOf(
  step('look', 'I look.', read('a.js')),
  {
    ...step('test', 'I test.', { tool: 'run_command', input: { command: 'npm test' } }),
    next: { when: '\\[exit status 0\\]$', then: 'done' },
  },
  step('repair', 'I repair.', edit('a.js', 'let old;\nlet older;', 'let fresh;')),
  step('done', 'Done.'),
);

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const said = (text: string): AssistantMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (toolName: string, text: string, isError = false): ToolMessage => ({
  role: 'tool',
  toolCallId: 'call',
  toolName,
  content: [{ type: 'text', text }],
  isError,
});
const fileResult = result('read_file', '1\tlet old;\n2\tlet older;');

test('begins at the beginning, goes on from its own last turn, and ends after the last step; the messages alone decide', () => {
  expect(nextTurn(plan, [user])).toMatchObject({ step: 'look', calls: [{ tool: 'read_file' }] });
  const messages = [user, said('I look. [look]'), fileResult];
  expect(nextTurn(plan, messages)).toMatchObject({ step: 'test' });
  expect(nextTurn(plan, structuredClone(messages))).toEqual(nextTurn(plan, messages));
  expect(nextTurn(plan, [user, said('Done. [done]')])).toBeUndefined();
});

test('decides by what a call answered', () => {
  const after = (text: string) =>
    nextTurn(plan, [user, fileResult, said('I test. [test]'), result('run_command', text)])?.step;
  expect(after('fine\n[exit status 0]')).toBe('done');
  // The address by which a model names a result is no part of it.
  expect(after('fine\n[exit status 0]\n[event_id: 7k2m9qxa]')).toBe('done');
  expect(after('bad\n[exit status 1]')).toBe('repair');
  const denied = result('run_command', '[exit status 0]', true);
  for (const results of [[], [denied]])
    expect(nextTurn(plan, [user, fileResult, said('I test. [test]'), ...results])?.step).toBe('repair');
});

test('edits at once while the text is before it, over line numbers too, or in what it wrote itself', () => {
  const written = { path: 'a.js', content: 'let old;\nlet older;' };
  const wrote: AssistantMessage = {
    ...said('I write. [look]'),
    toolCalls: [{ id: 'call', name: 'write_file', arguments: JSON.stringify(written) }],
  };
  for (const before of [
    [said('I look. [look]'), fileResult],
    [wrote, result('write_file', 'Written.')],
  ]) {
    const messages = [user, ...before, said('I test. [test]'), result('run_command', '[exit status 1]')];
    expect(nextTurn(plan, messages)).toMatchObject({
      step: 'repair',
      isReadingAgain: false,
      calls: [{ tool: 'edit_file' }],
    });
  }
});

test('reads again when the text is not before it any more, and then edits', () => {
  const masked = [
    user,
    said('I look. [look]'),
    result('read_file', 'masked'),
    said('I test. [test]'),
    result('run_command', '[exit status 1]'),
  ];
  const turn = nextTurn(plan, masked);
  expect(turn).toMatchObject({
    step: 'repair',
    isReadingAgain: true,
    calls: [{ tool: 'read_file', input: { path: 'a.js' } }],
  });
  const again = [...masked, said('I read it again. [repair, again]'), fileResult];
  expect(nextTurn(plan, again)).toMatchObject({
    step: 'repair',
    isReadingAgain: false,
    calls: [{ tool: 'edit_file' }],
  });
});

test('does not read for ever: if the file itself has changed, the edit says so', () => {
  const messages = [user, said('I read it again. [repair, again]'), result('read_file', 'something else')];
  expect(nextTurn(plan, messages)).toMatchObject({ isReadingAgain: false, calls: [{ tool: 'edit_file' }] });
});

test('edits several files of a turn after it has read again those whose text it misses, each once', () => {
  const edits = step(
    'all',
    'Now.',
    edit('a.js', 'let old;', 'b'),
    edit('a.js', 'let older;', 'c'),
    edit('b.js', 'x', 'y'),
  );
  const created = step(
    'new',
    'New.',
    { tool: 'write_file', input: { path: 'c.js', content: 'let c;' } },
    edit('c.js', 'let c', 'd'),
  );
  expect(nextTurn(planOf(edits), [user])).toMatchObject({
    isReadingAgain: true,
    calls: [{ input: { path: 'a.js' } }, { input: { path: 'b.js' } }],
  });
  expect(nextTurn(planOf(created), [user])).toMatchObject({ isReadingAgain: false });
});

test('a text of a call is what the messages last said, or what stands in its place, or another call is made', () => {
  const known = { count: { pattern: 'passed (\\d+)', unknown: 'some' }, address: { pattern: 'address (\\w+)' } };
  const tell: PlannedCall = { tool: 'finish', input: { message: 'All {{count}} pass.' } };
  const recall: PlannedCall = { tool: 'recall', input: { address: '{{address}}' }, otherwise: read('a.js') };
  const calls = (text: string) =>
    nextTurn({ ...planOf(step('end', 'End.', tell, recall)), known }, [user, result('run_command', text)])?.calls;
  expect(calls('passed 1\npassed 2\naddress abc')).toMatchObject([
    { input: { message: 'All 2 pass.' } },
    { tool: 'recall', input: { address: 'abc' } },
  ]);
  expect(calls('nothing')).toEqual([{ tool: 'finish', input: { message: 'All some pass.' } }, read('a.js')]);
});

test('the steps of the sample plan are unique, every step that it jumps to exists, and every text has a pattern', async () => {
  const { steps, known } = await samplePlan();
  const names = steps.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const targets = steps.flatMap(({ next }) => [next?.then, next?.otherwise]);
  expect(targets.filter((target) => target !== undefined && !names.includes(target))).toEqual([]);
  const texts = [...JSON.stringify(steps).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  expect(new Set(texts)).toEqual(new Set(Object.keys(known)));
});
