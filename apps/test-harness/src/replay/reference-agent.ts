import { pricedCondenser } from '@palimpsest/condensers';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/** The name under which the reference agent's default condenser is replayed. */
export const referenceAgent = 'referenceAgent';

/**
 * What the reference agent condenses with unless it is told otherwise: `apps/reference-agent/src/agent/condenser.ts`. A repository check
 * compares what the two decide.
 */
export function referenceAgentCondenser(): Condenser {
  return pricedCondenser({ stages: [relevanceCondenser({ apply: 'batched' })], preset: 'balanced' });
}
