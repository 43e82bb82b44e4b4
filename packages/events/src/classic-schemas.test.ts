import { expect, test } from 'vitest';
import { z as classic } from 'zod';
import * as mini from 'zod/mini';
import { contentPartSchema } from './message.js';
import { defineTool } from './tool.js';
import { eventBaseSchema } from './event-base.js';
import { messageEventSchema } from './llm-convertible-events.js';
import { parseEvent } from './parse-event.js';

const message = {
  type: 'message',
  id: 'm1',
  timestamp: '2026-11-22T12:00:00.000Z',
  source: 'user',
  role: 'user',
  content: [{ type: 'text', text: 'Go.' }],
};

test("a user's classic schemas hold schemas of ours", () => {
  const request = classic.object({ event: messageEventSchema, parts: classic.array(contentPartSchema).min(1) });

  const parsed: classic.infer<typeof request> = request.parse({ event: message, parts: message.content });

  expect(parsed.event).toEqual(message);
  const refused = request.safeParse({ event: { ...message, id: '' }, parts: [] }).error?.issues;
  expect(refused?.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['event.id', 'Too small: expected string to have >=1 characters'],
    ['parts', 'Too small: expected array to have >=1 items'],
  ]);
});

test.each([
  ['zod', classic.object({ ...eventBaseSchema.shape, type: classic.literal('acme/note'), text: classic.string() })],
  ['zod/mini', mini.extend(eventBaseSchema, { type: mini.literal('acme/note'), text: mini.string() })],
])("the schema of an event of a user's own, in %s", (_, noteSchema) => {
  const note = parseEvent({ ...message, type: 'acme/note', text: 'Later.' });

  expect(noteSchema.safeParse(note).success).toBe(true);
  expect(noteSchema.safeParse({ ...note, text: 3 }).success).toBe(false);
  expect(noteSchema.safeParse({ ...note, source: undefined }).success).toBe(false);
});

test('tools have inputs of zod and of zod/mini, with the same schema and the same complaints', () => {
  const about = { name: 'read', description: 'Reads.', execute: ({ line = 1 }: { line?: number }) => String(line + 1) };
  const inputs = [
    classic.strictObject({ line: classic.int().min(1).optional().describe('Where to begin.') }),
    mini.strictObject({
      line: mini.optional(mini.int().check(mini.minimum(1))).check(mini.describe('Where to begin.')),
    }),
  ];

  const [ofClassic, ofMini] = inputs.map((input) => defineTool({ ...about, input }));

  expect(JSON.stringify(ofMini?.inputSchema)).toBe(JSON.stringify(ofClassic?.inputSchema));
  const complaint = "Invalid input for 'read':\n✖ Too small: expected number to be >=1\n  → at line";
  expect(() => ofClassic?.parseInput({ line: 0 })).toThrow(complaint);
  expect(() => ofMini?.parseInput({ line: 0 })).toThrow(complaint);
});
