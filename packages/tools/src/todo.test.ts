import { createEvent, newEventId } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { noContext } from '../test-support/temporary-workspace.js';
import { todoItems, todoTool } from './todo.js';

const tool = todoTool();
const items = [
  { text: 'Find the failing test.', status: 'completed' },
  { text: 'Repair it,\nand run it again.', status: 'in_progress' },
  { text: 'Say what was wrong.', status: 'pending' },
];

async function call(input: object, log: readonly Event[] = []) {
  const output = await tool.execute(tool.parseInput(input), { ...noContext, log });
  return output as { readonly content: string; readonly details: Record<string, unknown> };
}

function observation(details: Record<string, unknown>): Event {
  const content = [{ type: 'text' as const, text: 'as shown' }];
  return createEvent('observation', { actionId: newEventId(), toolCallId: 'c', toolName: 'todo', content, details });
}

test('the list is shown, and stands whole in the result', async () => {
  expect(await call({ items })).toEqual({
    content: '1 of 3 done:\n[x] Find the failing test.\n[>] Repair it, and run it again.\n[ ] Say what was wrong.',
    details: { items },
  });
  expect((await call({ items: [] })).content).toBe('The list is empty.');
});

test('another process reads the list from the log, and the last one counts', async () => {
  expect((await call({})).content).toBe('There is no list yet.');
  const log = [observation({ items: [] }), observation({ items }), observation({ items: 'broken' })];
  expect(todoItems(log)).toEqual(items);
  expect((await call({}, log)).content).toMatch(/^1 of 3 done:/);
  expect(todoItems([])).toBeUndefined();
});

test('says what is wrong with an item', async () => {
  await expect(call({ items: [{ text: '', status: 'begun' }] })).rejects.toThrow(/items\[0\]\.status/);
});
