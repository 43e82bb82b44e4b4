import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { figuresOf } from './session-figures.js';

const createEvent = eventFactory();

function results(...made: readonly (readonly [tool: string, text: string, isError?: boolean])[]): readonly Event[] {
  return made.map(([toolName, text, isError], index) =>
    createEvent('observation', {
      toolName,
      toolCallId: `call-${index}`,
      content: [{ type: 'text', text }],
      ...(isError === true && { isError }),
    } as never),
  );
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${from + index}\tthis is line number ${from + index} of it`).join(
    '\n',
  );

test('a result is a re-read if most of its lines were shown before, by whatever tool', () => {
  expect(
    figuresOf(results(['read_file', lines(0, 40)], ['run_command', lines(10, 20).replaceAll(/^\d+\t/gm, '')])).rereads,
  ).toEqual({
    results: 1,
    tokens: Math.round(lines(10, 20).replaceAll(/^\d+\t/gm, '').length / 4),
  });
  expect(figuresOf(results(['read_file', lines(0, 10)], ['read_file', lines(5, 40)])).rereads.results).toBe(0);
});

test('what an edit shows is no re-read, and its refusal counts', () => {
  const shown = lines(0, 10);
  const figures = figuresOf(
    results(
      ['read_file', shown],
      ['edit_file', `Edited 'a'. It now reads:\n${shown}`],
      ['edit_file', "old_text is not in 'a'. Read the file again before you edit it.", true],
      ['edit_file', 'It is denied.', true],
    ),
  );
  expect(figures).toEqual({ rereads: { results: 0, tokens: 0 }, refusedEdits: 1 });
});
