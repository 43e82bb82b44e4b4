/* eslint-disable @nx/enforce-module-boundaries -- the example imports the package as its users do */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
const directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
// #region example
import { createEvent, EventLog, userMessage } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';

const store = fileEventStore({ directory });
const log = await EventLog.open('fix-the-test', { store }); // empty, or as the last process left it
log.observe((event, index) => console.log(index, event.type));

await log.append(userMessage('Fix the failing test.')); // on the disk when this resolves
const call = createEvent('action', {
  thought: [{ type: 'text', text: 'I look at it first.' }],
  toolCall: { id: 'call-1', name: 'run', arguments: '{"command":"npm test"}' },
  llmResponseId: 'response-1',
});
const result = createEvent('observation', {
  actionId: call.id,
  toolCallId: call.toolCall.id,
  toolName: 'run',
  content: [{ type: 'text', text: '1 failed' }],
});
await log.append(call, result); // both or none
// #endregion example

test('the example does what it says', async () => {
  const again = await EventLog.open('fix-the-test', { store: fileEventStore({ directory }) });
  expect([...again].map((event) => event.type)).toEqual(['message', 'action', 'observation']);
  await rm(directory, { recursive: true });
});

test('the README shows this example', async () => {
  const source = await readFile(new URL(import.meta.url), 'utf8');
  const example = /\/\/ #region example\n([\s\S]*?)\/\/ #endregion example/.exec(source)?.[1] ?? 'none';
  expect(await readFile(new URL('../README.md', import.meta.url), 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``);
});
