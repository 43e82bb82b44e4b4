import { defineTool } from '@palimpsest/events';
import type { Event, Tool } from '@palimpsest/events';
import { z } from 'zod';

const toolName = 'todo';

const itemSchema = z.object({
  text: z.string().min(1).max(500).describe('What is to be done, in a few words.'),
  status: z.enum(['pending', 'in_progress', 'completed']).describe('How far it is.'),
});

const input = z.object({
  items: z
    .array(itemSchema)
    .max(100)
    .optional()
    .describe('The whole list, in order; it replaces the list from before. Leave it out to read the list.'),
});

/** One item of the list. */
export type TodoItem = Readonly<z.infer<typeof itemSchema>>;

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/**
 * Returns the tool `todo`: a list that the model keeps for itself. Each call states the whole list, and its result holds it, so
 * the list is in the log (or in the messages of a loop without one) and nowhere else. It survives a restart, and a call can be
 * repeated.
 */
export function todoTool(): Tool<z.infer<typeof input>> {
  return defineTool({
    name: toolName,
    description:
      'Keep a list of what is to be done in a task of several steps. Send the whole list whenever it changes; have one item in progress.',
    input,
    annotations: { readOnly: true, repeatable: true },
    execute: ({ items }, { log }) => {
      const list = items ?? todoItems(log);
      if (list === undefined) return { content: 'There is no list yet.', details: {} };
      const done = list.filter(({ status }) => status === 'completed').length;
      const lines = list.map(({ text, status }) => `${marks[status]} ${text.replace(/\s+/g, ' ')}`);
      return {
        content: list.length === 0 ? 'The list is empty.' : [`${done} of ${list.length} done:`, ...lines].join('\n'),
        details: { items: list },
      };
    },
  });
}

/** Returns the list as the last call of `todo` in a log left it. Undefined if there was none. */
export function todoItems(log: Iterable<Event>): readonly TodoItem[] | undefined {
  let last: readonly TodoItem[] | undefined;
  for (const event of log) {
    if (event.type !== 'observation' || event.toolName !== toolName || event.isError === true) continue;
    const { success, data } = z.object({ items: z.array(itemSchema) }).safeParse(event.details);
    if (success) last = data.items;
  }
  return last;
}
