import { createEvent } from '@palimpsest/events';
import { expect, it } from 'vitest';
import { isReference } from '../index.js';

function result(...texts: readonly string[]) {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  return createEvent('observation', { toolName: 'read_file', toolCallId: 'call', actionId: 'action', content });
}

it('knows the sentences of agents, and no text that holds one', () => {
  const qwen = '[File src/a.ts unchanged since last read in this session — the full content was provided earlier.]';
  const claude = 'File unchanged since last read. The content from the earlier Read result is still current.';
  for (const text of [qwen, claude]) {
    expect(isReference(result(text))).toBe(true);
    expect(isReference(result('Note.', text))).toBe(true);
    expect(isReference(result(`${text}\n${'code '.repeat(300)}`))).toBe(false);
  }
  expect(isReference(result('const unchanged = true;'))).toBe(false);
  const error = createEvent('agent-error', {
    toolName: 'read_file',
    toolCallId: 'call',
    actionId: 'action',
    error: qwen,
  });
  expect(isReference(error)).toBe(false);
});
