import * as z from 'zod/mini';
import type { Immutable } from './immutable.js';

/** The schema of {@link BegunCall}. */
export const begunCallSchema = z.object({
  id: z.exactOptional(z.string()),
  name: z.exactOptional(z.string()),
  arguments: z.string(),
});

/**
 * The fields of an incomplete answer that can never be sent back. No model reads them. `finishReason` is there if the provider ended the
 * answer, for instance `length`; without it a user or a broken connection did.
 */
export const incompleteAnswerFields = {
  reason: z.string(),
  finishReason: z.exactOptional(z.string()),
  thinking: z.exactOptional(z.string()),
  toolCalls: z.exactOptional(z.array(begunCallSchema)),
};

/** The received part of an incomplete tool call. It was never carried out. */
export type BegunCall = Immutable<z.infer<typeof begunCallSchema>>;
