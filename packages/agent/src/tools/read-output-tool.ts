import { defineTool, textRange } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { OutputStore } from './output-store.js';
import { textOfEvent } from './whole-output.js';

/** The name of the tool that {@link readOutputTool} makes. */
export const readOutputToolName = 'read_output';

const input = z.object({
  handle: z.string().min(1).describe('As it stands in the shortened output.'),
  offset: z.number().int().min(0).default(0).describe('The first character to read.'),
  length: z.number().int().min(1).max(20_000).default(8_000).describe('How many characters.'),
});

/** Reserved for the line above a part. Unit: characters. */
const headingCharacters = 80;

/**
 * Makes the tool with which a model reads a long output part by part, from the store, if the agent has one, and from the log.
 * It also reads the results and arguments that the agent masked because they did not fit, by the handles in their masks.
 *
 * @param store - the store of the agent's `output`
 */
export function readOutputTool(store?: OutputStore): Tool<z.infer<typeof input>> {
  return defineTool({
    name: readOutputToolName,
    description: 'Read a part of an output that was too long to be shown whole.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ handle, offset, length }, { event, maxOutputCharacters = Infinity }) => {
      const text = (await store?.get(handle)) ?? textOfEvent(event(handle));
      if (text === undefined) throw new Error(`There is no stored output '${handle}'.`);
      if (offset >= text.length) throw new Error(`It has ${text.length} characters; ${offset} is behind its end.`);
      const most = Math.max(1, Math.min(length, maxOutputCharacters - headingCharacters));
      const { start, end } = textRange(text, offset, most);
      return `[Characters ${start} to ${end} of ${text.length}]\n${text.slice(start, end)}`;
    },
  });
}
