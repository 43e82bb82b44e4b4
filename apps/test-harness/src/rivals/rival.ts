import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type { RivalName } from './descriptions.js';

/** The policy of another project, rewritten as a condenser, so that it is measured on the same sessions as ours. */
export interface Rival {
  readonly name: RivalName;
  /** @param llm - the model of those that ask one */
  readonly create: (llm: LLM) => Condenser;
}
