import { createEvent as createDefaultEvent, defineTool, textRange } from '@palimpsest/events';
import type { CreateEvent, Tool } from '@palimpsest/events';
import { z } from 'zod';
import { textOfEvent } from './output.js';
import type { OutputPart, OutputStore } from './output.js';

/** The name of the tool with which a model ends a run. */
export const finishToolName = 'finish';

const finishInput = z.object({
  message: z.string().min(1).describe('The final answer: what was done, and what is left to do.'),
});

/**
 * Makes the tool with which a model ends a run. After it has run, the other calls of the same response are answered as not
 * run, and the run ends with its message as the answer.
 */
export function finishTool(): Tool<z.infer<typeof finishInput>> {
  return defineTool({
    name: finishToolName,
    description: 'End the work with a final answer to the user. Call it alone, when everything is done.',
    input: finishInput,
    annotations: { readOnly: true, repeatable: true },
    execute: ({ message }) => message,
  });
}

/** The name of the tool that {@link readOutputTool} makes. */
export const readOutputToolName = 'read_output';

const readOutputInput = z.object({
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
export function readOutputTool(store?: OutputStore): Tool<z.infer<typeof readOutputInput>> {
  return defineTool({
    name: readOutputToolName,
    description: 'Read a part of an output that was too long to be shown whole.',
    input: readOutputInput,
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

/** The name of the tool that {@link requestCondensationTool} makes. */
const requestCondensationToolName = 'request_condensation';

const requestInput = z.object({});

/**
 * Makes the tool with which a model requests a condensation: it appends a `condensation-request`, and the condenser acts
 * before the next model call. Use it with a condenser that handles requests.
 */
export function requestCondensationTool(
  options: { readonly createEvent?: CreateEvent } = {},
): Tool<z.infer<typeof requestInput>> {
  const { createEvent = createDefaultEvent } = options;
  return defineTool({
    name: requestCondensationToolName,
    description:
      'Ask for the history so far to be condensed before your next step, for instance when one task is done and another ' +
      'begins. The words of the user stay.',
    input: requestInput,
    annotations: { readOnly: true, repeatable: true },
    execute: async (_, { append }) => {
      await append(createEvent('condensation-request', { source: 'agent', reason: 'the model asked for it' }));
      return 'The history is condensed before your next step.';
    },
  });
}
