import { deepFreeze, isDeepFrozen } from './deep-frozen.js';

interface Entry<Made> {
  readonly inputs: readonly unknown[];
  readonly made: Made;
}

const noInputs: readonly unknown[] = [];

/**
 * Remembers what an object became, so that a list that has grown costs only what is new in it. An entry lives as long as its
 * object. Each object has one entry, for the inputs of the last call.
 *
 * Only frozen objects are remembered: an object counts as frozen if everything in it is frozen too, so it can never change. For
 * any other object the result is made anew in each call. A remembered result is frozen, because calls share it.
 */
export class Memo<Source extends object, Made> {
  readonly #entries = new WeakMap<Source, Entry<Made>>();

  /**
   * What the source became with these inputs.
   *
   * @param inputs - everything else that the result depends on: primitive values, compared by value, and objects, compared by
   *   identity
   */
  of(source: Source, make: (source: Source) => Made, inputs: readonly unknown[] = noInputs): Made {
    const known = this.#entries.get(source);
    if (known !== undefined && isSameList(known.inputs, inputs)) return known.made;
    const made = make(source);
    if (isDeepFrozen(source) && inputs.every(isDeepFrozen))
      this.#entries.set(source, { inputs, made: deepFreeze(made) });
    return made;
  }
}

/** The function with a {@link Memo} of its results. */
export function remembering<Source extends object, Made>(make: (source: Source) => Made): (source: Source) => Made {
  const memo = new Memo<Source, Made>();
  return (source) => memo.of(source, make);
}

/** True for lists of the same values, in the same order. */
export function isSameList(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}
