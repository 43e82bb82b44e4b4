import * as z from 'zod/mini';
import type { Immutable } from './immutable.js';

/** The schema of {@link BegunCall}. */
export const begunCallSchema = z.object({
  id: z.exactOptional(z.string()),
  name: z.exactOptional(z.string()),
  arguments: z.string(),
});

/** The fields of what came of an answer before its end and can never be sent back: no model reads them. */
export const incompleteAnswerFields = {
  reason: z.string(),
  thinking: z.exactOptional(z.string()),
  toolCalls: z.exactOptional(z.array(begunCallSchema)),
};

/** A call as far as it had arrived. It was never carried out. */
export type BegunCall = Immutable<z.infer<typeof begunCallSchema>>;
