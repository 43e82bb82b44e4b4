import { z } from 'zod';
import type { Immutable } from './immutable.js';

const tokens = z.number().min(0);

/** The schema of {@link Usage}. */
export const usageSchema = z.object({
  uncachedInputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens.exactOptional(),
});

/**
 * What one model call used, in one shape for every provider. Unit: tokens. The three input counts do not overlap: their sum
 * is what was sent. `outputTokens` includes `reasoningTokens`.
 */
export type Usage = Immutable<z.infer<typeof usageSchema>>;
