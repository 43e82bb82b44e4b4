// A process that does one thing with a conversation in a folder, or tries several in turn: bundled and run by processes.test.ts.
import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { argv } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool, PalimpsestError } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import { Agent } from '../src/agent.js';
import { Conversation } from '../src/conversation/conversation.js';

const [directory = '', conversationId = '', tasks = ''] = argv.slice(2);

/** Pays once it may: when the file `allowed` is there. What was paid stands in a file, since processes die. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  execute: async () => {
    appendFileSync(`${directory}/${conversationId}.payments`, 'x');
    tell('paying');
    while (!existsSync(`${directory}/${conversationId}.allowed`)) await delay(5);
    return 'paid';
  },
});
const llm = scriptedLLM({
  script: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ name: 'pay' }] }),
});

for (const task of tasks.split(',')) {
  const confirmation = task === 'run-unconfirmed' ? 'never' : 'always';
  const agent = new Agent({ llm, tools: [pay], confirmation });
  try {
    const conversation = await Conversation.open({ agent, store: fileEventStore({ directory }), conversationId });
    if (task === 'send') await conversation.send('Pay.');
    if (task === 'confirm') await conversation.confirm();
    else tell((await conversation.run()).status);
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error;
    tell(error.code);
  }
}

function tell(what: string): void {
  writeSync(1, `${what}\n`);
}
