import { basename, resolve } from 'node:path';
import { condenserNames } from '@palimpsest/condensers/config';
import { none } from './policy.js';
import type { Policy } from './policy.js';
import { policySources } from './policy-argument.js';
import { policyFrom } from './policy-source.js';
import { standIn } from './stand-in-llm.js';

/** Condensers as a command line names them. */
export interface PolicyArguments {
  /** Names, packages, options and sweeps: see {@link policySources}. */
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  /** From where packages are resolved. @defaultValue the working directory */
  readonly folder?: string;
}

/** Of condensers that are only made; counting tokens would load their vocabulary. */
const unasked = standIn((text) => text.length).llm;

/**
 * The policies of a command line: `none`, and those that are named, each with a name of its own. If none is named, all built-in
 * ones. Each is made once, so that a bad one is refused before anything is read.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for options and files that describe none.
 */
export async function policiesOf({ condenser, config, folder = '.' }: PolicyArguments): Promise<readonly Policy[]> {
  const names = new Set(condenser.length === 0 && config.length === 0 ? condenserNames : condenser);
  names.delete(none.name);
  const policies: Policy[] = [];
  for (const argument of names) {
    for (const { name, source } of await policySources(argument, resolve(folder)))
      policies.push(policyFrom(name, source));
  }
  for (const file of config) {
    const policy = policyFrom(basename(file), { kind: 'file', file: resolve(file) });
    const { name } = await policy.create(unasked);
    const isAlone = config.length === 1 && !policies.some((other) => other.name === name);
    policies.push(isAlone ? { ...policy, name } : { ...policy, name: `${name} (${basename(file)})` });
  }
  for (const { create } of policies) await create(unasked);
  return [none, ...withOwnNames(policies)];
}

/** Numbers policies of the same name for the report: `keepNewest`, `keepNewest (2)`. */
function withOwnNames(policies: readonly Policy[]): readonly Policy[] {
  const counts = new Map<string, number>([[none.name, 1]]);
  return policies.map((policy) => {
    const count = (counts.get(policy.name) ?? 0) + 1;
    counts.set(policy.name, count);
    return count === 1 ? policy : { ...policy, name: `${policy.name} (${count})` };
  });
}
