import type { Event, Tool } from '@palimpsest/events';
import type { SecretMask } from './secret-mask.js';

/**
 * The same tool, with the values hidden in what it returns, appends and throws. The mask of events would come too late: a
 * long output is cut, or stored elsewhere, before. The input of the tool is not changed.
 */
export function maskedTool<Input>(mask: SecretMask, tool: Tool<Input>): Tool<Input> {
  return {
    ...tool,
    async execute(input, context) {
      try {
        const append = (event: Event) => context.append(mask(event));
        return mask.output(await tool.execute(input, { ...context, append }));
      } catch (error) {
        throw withoutValues(mask, error);
      }
    },
  };
}

/**
 * The error itself if it holds no value. Otherwise an error with the masked message and without the cause, which may hold
 * one.
 */
function withoutValues(mask: SecretMask, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? mask.text(thrown) : thrown;
  const message = mask.text(thrown.message);
  return message === thrown.message ? thrown : Object.assign(new Error(message), { name: thrown.name });
}
