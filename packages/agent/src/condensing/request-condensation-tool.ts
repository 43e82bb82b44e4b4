import { createEvent as createDefaultEvent, defineTool } from '@palimpsest/events';
import type { CreateEvent, Tool } from '@palimpsest/events';
import { z } from 'zod';

/** The name of the tool that {@link requestCondensationTool} makes. */
export const requestCondensationToolName = 'request_condensation';

const input = z.object({});

/**
 * Makes the tool with which a model requests a condensation: it appends a `condensation-request`, and the condenser acts
 * before the next model call. Use it with a condenser that handles requests.
 */
export function requestCondensationTool(
  options: { readonly createEvent?: CreateEvent } = {},
): Tool<z.infer<typeof input>> {
  const { createEvent = createDefaultEvent } = options;
  return defineTool({
    name: requestCondensationToolName,
    description:
      'Ask for the history so far to be condensed before your next step, for instance when one task is done and another ' +
      'begins. The words of the user stay.',
    input,
    annotations: { readOnly: true, repeatable: true },
    execute: async (_, { append }) => {
      await append(createEvent('condensation-request', { source: 'agent', reason: 'the model asked for it' }));
      return 'The history is condensed before your next step.';
    },
  });
}
