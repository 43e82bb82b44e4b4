import type { CondenserConfig } from '@palimpsest/condensers/config';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';

/** A condenser as data, so that another thread can make it and stored results can be told apart. */
export type PolicySource =
  | { readonly kind: 'none' }
  /** A built-in condenser with its defaults, the reference agent's, or a rival. */
  | { readonly kind: 'name'; readonly name: string }
  /** A description; packages are resolved from the folder. */
  | { readonly kind: 'config'; readonly config: CondenserConfig; readonly folder: string }
  /** A file with a description; packages are resolved from its folder. */
  | { readonly kind: 'file'; readonly file: string };

/** A condenser to replay. It is made anew for each session, with a model that stands in for the summariser. */
export interface Policy {
  /** As the report names it. */
  readonly name: string;
  readonly create: (llm: LLM) => Condenser | Promise<Condenser>;
  /**
   * What `create` makes, as data. @defaultValue none: the policy is a program's own, so it runs in the program's thread and its
   * results are not stored
   */
  readonly source?: PolicySource;
}

/** Condenses nothing; the savings of the others are relative to it. */
export const none: Policy = {
  name: 'none',
  create: () => ({ name: 'none', condense: (view) => view }),
  source: { kind: 'none' },
};
