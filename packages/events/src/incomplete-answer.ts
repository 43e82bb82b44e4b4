import { z } from 'zod';
import type { Immutable } from './immutable.js';

/** The schema of {@link BegunCall}. */
export const begunCallSchema = z.object({
  id: z.string().exactOptional(),
  name: z.string().exactOptional(),
  arguments: z.string(),
});

/** The fields of what came of an answer before its end and can never be sent back: no model reads them. */
export const incompleteAnswerFields = {
  reason: z.string(),
  thinking: z.string().exactOptional(),
  toolCalls: z.array(begunCallSchema).exactOptional(),
};

/** A call as far as it had arrived. It was never carried out. */
export type BegunCall = Immutable<z.infer<typeof begunCallSchema>>;
