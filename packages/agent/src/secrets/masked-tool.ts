import type { Event, Tool } from '@palimpsest/events';
import type { SecretMask } from './secret-mask.js';

/**
 * The same tool, with the values hidden in what it answers, appends and throws: before a long answer is cut or kept
 * elsewhere, where the event's mask would come too late. What it is told is not changed.
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

/** The error itself where there is nothing to hide; else one that says the same, without the cause, which may hold the value. */
function withoutValues(mask: SecretMask, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? mask.text(thrown) : thrown;
  const message = mask.text(thrown.message);
  return message === thrown.message ? thrown : Object.assign(new Error(message), { name: thrown.name });
}
