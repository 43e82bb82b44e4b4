import { pricedCondenser } from '@palimpsest/condensers';
import { condenserByName } from '@palimpsest/condensers/config';
import type { CondenserConfig } from '@palimpsest/condensers/config';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { rivalOf } from '../rivals/index.js';

/** A condenser as data, so that another thread can make it and stored results can be told apart. */
export type PolicySource =
  /** None, a built-in condenser with its defaults, the reference agent's, or a rival. */
  | { readonly kind: 'name'; readonly name: string }
  /** A description; packages are resolved from the folder. */
  | { readonly kind: 'config'; readonly config: CondenserConfig; readonly folder: string }
  /** A file with a description; packages are resolved from its folder. */
  | { readonly kind: 'file'; readonly file: string };

/** A condenser to replay. It is made anew for each session, with a model that stands in for the summariser. */
export interface Policy {
  /** The name in the report. */
  readonly name: string;
  readonly create: (llm: LLM) => Condenser | Promise<Condenser>;
}

/** A policy as data: what another thread makes a {@link Policy} of. */
export interface NamedSource {
  readonly name: string;
  readonly source: PolicySource;
}

/** Condenses nothing; the savings of the others are relative to it. */
export const none: Policy & NamedSource = {
  name: 'none',
  create: () => ({ name: 'none', condense: (view) => view }),
  source: { kind: 'name', name: 'none' },
};

/** The condensers that a report compares if none is named. */
export const reportCondensers: readonly string[] = [
  'recentEvents',
  'observationMasking',
  'extractiveSummary',
  'priced',
  'llmSummarizing',
];

/** The name under which the reference agent's default condenser is replayed. */
export const referenceAgent = 'referenceAgent';

/**
 * Makes what the reference agent condenses with unless it is told otherwise: `apps/reference-agent/src/agent/condenser.ts`. A repository check
 * compares what the two decide.
 */
export function referenceAgentCondenser(): Condenser {
  return pricedCondenser({ stages: [relevanceCondenser({ apply: 'batched' })], preset: 'balanced' });
}

/** Returns what makes the condenser of a name: none, the reference agent's, a rival, or one of ours with its defaults. */
export function namedCreator(name: string): Policy['create'] {
  if (name === none.name) return none.create;
  if (name === referenceAgent) return referenceAgentCondenser;
  return rivalOf(name)?.create ?? ((llm) => condenserByName(name, { llm }));
}
