import { addressOf } from '@palimpsest/events';
import type { ActionEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { maskedArguments } from './argument-mask.js';

const long = 'x'.repeat(1_000);

function call(text: string): ActionEvent {
  const { toolCall, ...event } = logBuilder().action('edit');
  return { ...event, toolCall: { ...toolCall, arguments: text } };
}

const address = addressOf(call('{}').id);

function masked(input: object, options: { readonly maxPathTokens?: number; readonly placeholder?: string } = {}) {
  const text = maskedArguments(call(JSON.stringify(input)), { maxPathTokens: 200, ...options });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

test('long texts become notes, wherever they stand, and the rest stays', () => {
  expect(masked({ path: 'a.ts', edits: [{ text: long, line: 3 }] })).toEqual({
    path: 'a.ts',
    edits: [{ text: expect.stringContaining(`1000 characters; address ${address};`) as unknown, line: 3 }],
  });
});

test('what was sought keeps its first line word for word', () => {
  const line = "  if (a  &&  b) return 'both';";
  expect(masked({ path: 'a.ts', old_string: `\n${line}\n${long}`, new_string: 'short' })).toEqual({
    path: 'a.ts',
    old_string: expect.stringContaining(`; begins: ${line.trim()}]`) as unknown,
    new_string: 'short',
  });
});

test('a patch keeps its files and the places of its changes', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: src/cart.ts',
    '@@ class Cart {',
    `-  ${'old '.repeat(60)}`,
    '*** Update File: src/till.ts',
    '@@',
    ' export function openTill() {',
    `+  ${'new '.repeat(60)}`,
    '*** End Patch',
  ].join('\n');
  const note = (masked({ input: patch }) as { readonly input: string }).input;
  expect(note).toContain('patch of src/cart.ts, src/till.ts; at: class Cart {; at: export function openTill() {]');
});

test('a script keeps the paths in it', () => {
  const command = `python3 - <<'EOF'\nopen('src/shared/price.ts', 'w').write('''\n${long}''')\nEOF`;
  expect(masked({ command })).toEqual({ command: expect.stringContaining('; names: src/shared/price.ts]') as unknown });
  expect(JSON.stringify(masked({ command }, { maxPathTokens: 0 }))).not.toContain('price.ts');
});

test('no note is longer than what it replaces', () => {
  const input = { a: 'y'.repeat(401), b: long };
  expect(masked(input, { placeholder: 'z'.repeat(500) })).toEqual({ a: input.a, b: 'z'.repeat(500) });
  const patch = `*** Begin Patch\n*** Update File: ${'p'.repeat(200)}\n@@ ${'q'.repeat(100)}\n@@ ${'r'.repeat(90)}\n`;
  expect(patch.length).toBeGreaterThan(400);
  expect(JSON.stringify(masked({ patch, long }))).toContain('qqqq');
});

test.each([
  ['short', '{"path":"a.ts"}'],
  ['no object', JSON.stringify(long)],
  ['a list', JSON.stringify([long])],
  ['not JSON', long],
  ['nested deeper than any tool takes it', `${'{"a":'.repeat(20_000)}"${long}"${'}'.repeat(20_000)}`],
])('what is %s stays as it is', (_, text) => {
  expect(maskedArguments(call(text), { maxPathTokens: 200 })).toBeUndefined();
});
