import {
  extractiveSummaryCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
} from '@palimpsest/condensers';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/** The name under which the reference agent's default condenser is replayed. */
export const referenceAgent = 'referenceAgent';

/** What the reference agent condenses with unless it is told otherwise: `apps/reference-agent/src/default-condenser.ts`. */
export function referenceAgentCondenser(llm: LLM): Condenser {
  return pipelineCondenser([
    relevanceCondenser({ apply: 'batched' }),
    observationMaskingCondenser(),
    llmSummarizingCondenser({ llm }),
    extractiveSummaryCondenser(),
  ]);
}
