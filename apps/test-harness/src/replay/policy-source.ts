import { condenserByName, loadCondenser } from '@palimpsest/condensers/config';
import { importFrom, loadCondenserFile } from '@palimpsest/condensers/node';
import type { LLM } from '@palimpsest/llm-adapters';
import { rivalOf } from '../rivals/index.js';
import { none } from './policy.js';
import type { Policy, PolicySource } from './policy.js';
import { referenceAgent, referenceAgentCondenser } from './reference-agent.js';

/** The policy that a source describes. Nothing is loaded before `create`. */
export function policyFrom(name: string, source: PolicySource): Policy {
  return { name, source, create: creatorOf(source) };
}

function creatorOf(source: PolicySource): Policy['create'] {
  switch (source.kind) {
    case 'none':
      return none.create;
    case 'name':
      if (source.name === referenceAgent) return referenceAgentCondenser;
      return rivalOf(source.name)?.create ?? ((llm) => condenserByName(source.name, { llm }));
    case 'config':
      return (llm) => loadCondenser(source.config, { ...hostOf(llm), importModule: importFrom(source.folder) });
    case 'file':
      return (llm) => loadCondenserFile(source.file, hostOf(llm));
  }
}

/** A configuration may leave the condenser to its host: that is the reference agent. */
const hostOf = (llm: LLM) => ({ llm: () => llm, defaultLLM: llm, defaultCondenser: referenceAgentCondenser });
