// A process that kills itself while an answer of the model is appended: bundled and run by killed-answer.test.ts.
import { promises, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import process from 'node:process';
import { fileEventStore } from '@palimpsest/events/file';
import { Conversation } from '../src/conversation/conversation.js';
import { answeringAgent } from './answering-agent.js';

const [directory = '', conversationId = '', where = 'before', operation = '1'] = process.argv.slice(2);

type Method = (this: FileHandle, ...parameters: unknown[]) => Promise<unknown>;

let hasAnswered = false;
let operations = 0;

const handle = await promises.open(process.execPath, 'r');
const methods = Object.getPrototypeOf(handle) as Record<'write' | 'datasync', Method>;
await handle.close();
for (const name of ['write', 'datasync'] as const) {
  const method = methods[name];
  methods[name] = async function (...parameters) {
    if (hasAnswered && ++operations === Number(operation)) {
      const [bytes, offset] = parameters as [Buffer, number];
      // A part of what is to be written, or the whole of it.
      if (where === 'within' && name === 'write') {
        await method.call(this, bytes, offset, Math.ceil((bytes.length - offset) / 2));
      }
      if (where === 'after') await method.apply(this, parameters);
      process.kill(process.pid, 'SIGKILL');
    }
    return method.apply(this, parameters);
  };
}

const agent = answeringAgent({
  answer: () => (hasAnswered = true),
  run: () => {
    // From here on the answer is in the log, and every write is another append.
    hasAnswered = false;
    writeSync(1, 'ran\n');
  },
});
const conversation = await Conversation.open({ agent, store: fileEventStore({ directory }), conversationId });
await conversation.send('Write.');
await conversation.run();
