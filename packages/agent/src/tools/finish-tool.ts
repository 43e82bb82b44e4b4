import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';

/** The name of the tool with which a model ends a run. */
export const finishToolName = 'finish';

const input = z.object({
  message: z.string().min(1).describe('The final answer: what was done, and what is left to do.'),
});

/**
 * Makes the tool with which a model ends a run. After it has run, the other calls of the same response are answered as not
 * run, and the run ends with its message as the answer.
 */
export function finishTool(): Tool<z.infer<typeof input>> {
  return defineTool({
    name: finishToolName,
    description: 'End the work with a final answer to the user. Call it alone, when everything is done.',
    input,
    annotations: { readOnly: true, repeatable: true },
    execute: ({ message }) => message,
  });
}
