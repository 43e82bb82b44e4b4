import * as z from 'zod/mini';
import type { Immutable } from './immutable.js';

/** The schema of {@link BegunCall}. */
export const begunCallSchema = z.object({
  id: z.exactOptional(z.string()),
  name: z.exactOptional(z.string()),
  arguments: z.string(),
});

/** The fields of an incomplete answer that can never be sent back. No model reads them. */
export const incompleteAnswerFields = {
  reason: z.string(),
  thinking: z.exactOptional(z.string()),
  toolCalls: z.exactOptional(z.array(begunCallSchema)),
};

/** The received part of an incomplete tool call. It was never carried out. */
export type BegunCall = Immutable<z.infer<typeof begunCallSchema>>;
