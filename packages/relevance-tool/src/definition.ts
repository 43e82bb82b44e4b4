import { z } from 'zod';
import { relevanceCondenser } from './condenser.js';

const options = z.strictObject({
  apply: z.enum(['immediate', 'batched']).optional(),
  batching: z
    .strictObject({
      prices: z
        .strictObject({ read: z.number().min(0), write: z.number().min(0), output: z.number().min(0).optional() })
        .optional(),
      expectedCalls: z.number().min(0).optional(),
      pressure: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

/**
 * The relevance condenser as configurations name it: `use = "@palimpsest/relevance-tool"`. It has the shape of what
 * `defineCondenser` of `@palimpsest/condensers/authoring` returns; this package does not depend on that one.
 */
export const relevanceDefinition = {
  name: 'relevance',
  summary: 'shows what the model itself wrote in the place of results that it no longer needs',
  options,
  asksModel: false,
  /** @throws ZodError when an option is unknown or out of range. */
  create: (given: z.input<typeof options> = {}) => relevanceCondenser(options.parse(given)),
};
