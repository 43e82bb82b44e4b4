import * as z from 'zod/mini';
import type { Immutable } from './immutable.js';

const tokens = z.number().check(z.minimum(0));

/** The schema of {@link Usage}. */
export const usageSchema = z.object({
  uncachedInputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: z.exactOptional(tokens),
});

/**
 * What one model call used, in one shape for every provider. Unit: tokens. The three input counts do not overlap: their sum
 * is what was sent. `outputTokens` includes `reasoningTokens`.
 */
export type Usage = Immutable<z.infer<typeof usageSchema>>;
