import { defineTool, textRange } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { OutputPart, OutputStore } from './output-store.js';
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
      const most = Math.max(1, Math.min(length, maxOutputCharacters - headingCharacters));
      const range = { offset, length: most };
      const part = (await stored(store, handle, range)) ?? partOf(textOfEvent(event(handle)), range);
      if (part === undefined) throw new Error(`There is no stored output '${handle}'.`);
      const { text, start, total } = part;
      if (offset >= total) throw new Error(`It has ${total} characters; ${offset} is behind its end.`);
      return `[Characters ${start} to ${start + text.length} of ${total}]\n${text}`;
    },
  });
}

type Range = Parameters<NonNullable<OutputStore['part']>>[1];

async function stored(store: OutputStore | undefined, handle: string, range: Range): Promise<OutputPart | undefined> {
  return store?.part === undefined ? partOf(await store?.get(handle), range) : store.part(handle, range);
}

function partOf(whole: string | undefined, { offset, length }: Range): OutputPart | undefined {
  if (whole === undefined) return undefined;
  const { start, end } = textRange(whole, offset, length);
  return { text: whole.slice(start, end), start, total: whole.length };
}
