// The provider of the bench, in a process of its own: answers with the next call of a tool, after a fixed time.
import process from 'node:process';
import { setTimeout as elapsed } from 'node:timers/promises';
import { openaiServer } from '@palimpsest/provider-servers';
import type { FromProgram, ModelSetting, Task } from './setting.js';

const { latencyMs } = JSON.parse(process.argv[2] ?? '{}') as ModelSetting;
const tell = (message: FromProgram) => process.send?.(message);

interface Sent {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[] | null;
}

/** Returns the message after which the model has taken as many steps as there are results. */
function nextMessage(messages: readonly Sent[]) {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[asked]?.content ?? '';
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  // Messages that follow each other may be sent as one.
  const { steps, toolMs } = JSON.parse(text.slice(text.lastIndexOf('{'))) as Task;
  const step = messages.slice(asked).filter(({ role }) => role === 'tool').length + 1;
  if (step > steps) return { role: 'assistant', content: 'All steps are taken.' };
  const call = { name: 'work', arguments: JSON.stringify({ step, ms: toolMs }) };
  return { role: 'assistant', content: null, tool_calls: [{ id: `call_${step}`, type: 'function', function: call }] };
}

const server = await openaiServer({
  reply: async ({ messages }) => {
    if (latencyMs > 0) await elapsed(latencyMs);
    return { message: nextMessage(messages as readonly Sent[]) };
  },
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  tell({ type: 'figures', steps: 0, runs: 0, cpuMs: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit(0));
tell({ type: 'ready', url: server.baseURL });
