import { createEvent } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { permissionPolicy } from './policy.js';
import { permissions } from './permissions.js';

const tools = [{ name: 'read_file', annotations: { readOnly: true } }, { name: 'run_command' }];
const rules = permissions({ allow: ['run_command(npm test)'], deny: ['run_command(rm *)', 'read_file(.env)'] });
const call = (name: string, input: unknown) => {
  const toolCall = { id: 'call_1', name, arguments: JSON.stringify(input) };
  return [createEvent('action', { thought: [], toolCall, llmResponseId: 'r' }), input] as const;
};
const run = (command: string) => call('run_command', { command });
const confirmed = { isConfirmed: true };

test('where nobody is asked: what needs a yes does not run, and the model is told what it may do', () => {
  const { confirmation, hooks } = permissionPolicy({ permissions: rules, tools });
  expect(hooks.beforeToolUse(...run('npm test'))).toBeUndefined();
  expect(hooks.beforeToolUse(...call('read_file', { path: 'a' }))).toBeUndefined();
  expect(confirmation.asks(...run('make'))).toBe(false);
  expect(hooks.beforeToolUse(...run('make'))?.veto).toBe(
    [
      'Denied, not run. No rule allows it.',
      'It needs the yes of the user, and nobody can be asked in this run.',
      'Without a question you may call: run_command(npm test).',
      'Tools that only read may be called as well. Do not try to reach the same in another way.',
      'If the work cannot be done without it, say in your final answer what you need and why.',
    ].join('\n'),
  );
});

test('where it waits: only what must be asked about waits, and what is denied never runs', () => {
  const { confirmation, hooks } = permissionPolicy({ permissions: rules, tools, onAsk: 'wait' });
  expect(confirmation.asks(...run('make'))).toBe(true);
  expect(hooks.beforeToolUse(...run('make'))?.veto).toMatch(/No rule allows it/);
  expect(hooks.beforeToolUse(...run('make'), confirmed)).toBeUndefined();
  for (const denied of [run('rm x'), call('read_file', { path: 'a/../.env' })]) {
    expect(confirmation.asks(...denied)).toBe(false);
    expect(hooks.beforeToolUse(...denied, confirmed)?.veto).toMatch(/^Denied, not run\. The rule '.*' denies it\./);
  }
  expect(confirmation.asks(...run('npm test'))).toBe(false);
});

test('a yes that was given earlier counts where nobody is asked', () => {
  const { hooks } = permissionPolicy({ permissions: rules, tools });
  expect(hooks.beforeToolUse(...run('make'), confirmed)).toBeUndefined();
  expect(hooks.beforeToolUse(...run('rm x'), confirmed)?.veto).toMatch(/denies it/);
});

test('a rule can have a reading tool asked about', () => {
  const asking = permissions({ ask: ['read_file(secret/**)'] });
  const { confirmation } = permissionPolicy({ permissions: asking, tools, onAsk: 'wait' });
  expect(confirmation.asks(...call('read_file', { path: 'secret/a' }))).toBe(true);
  expect(confirmation.asks(...call('read_file', { path: 'a' }))).toBe(false);
});
