import { condenserByName } from '@palimpsest/condensers/config';
import { loadCondenser } from '@palimpsest/condensers/config';
import type { CondenserConfig } from '@palimpsest/condensers/config';
import { importFrom, loadCondenserFile } from '@palimpsest/condensers/node';
import { none } from './policy.js';
import type { Policy } from './policy.js';
import { referenceAgent, referenceAgentCondenser } from './reference-agent.js';

/** A condenser as data, so that another thread can make it and stored results can be told apart. */
export type PolicySource =
  | { readonly kind: 'none' }
  /** A built-in condenser with its defaults, or the reference agent's. */
  | { readonly kind: 'name'; readonly name: string }
  /** A description; packages are resolved from the folder. */
  | { readonly kind: 'config'; readonly config: CondenserConfig; readonly folder: string }
  /** A file with a description; packages are resolved from its folder. */
  | { readonly kind: 'file'; readonly file: string };

/** The policy that a source describes. Nothing is loaded before `create`. */
export function policyFrom(name: string, source: PolicySource): Policy {
  return { name, source, create: creatorOf(source) };
}

function creatorOf(source: PolicySource): Policy['create'] {
  switch (source.kind) {
    case 'none':
      return none.create;
    case 'name':
      return source.name === referenceAgent
        ? (llm) => referenceAgentCondenser(llm)
        : (llm) => condenserByName(source.name, { llm });
    case 'config':
      return (llm) =>
        loadCondenser(source.config, { llm: () => llm, defaultLLM: llm, importModule: importFrom(source.folder) });
    case 'file':
      return (llm) => loadCondenserFile(source.file, { llm: () => llm, defaultLLM: llm });
  }
}
