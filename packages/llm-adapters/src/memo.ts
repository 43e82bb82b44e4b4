interface Entry<Made> {
  readonly inputs: readonly unknown[];
  readonly made: Made;
}

const noInputs: readonly unknown[] = [];

/**
 * Remembers what an object became, so that a list that has grown costs little more than what is new in it. An entry lives as long
 * as its object. Each object has one entry, for the inputs of the last call.
 *
 * Only frozen objects are remembered: an object counts as frozen if everything in it is frozen too, so it can never change. For
 * any other object the result is made anew in each call. A remembered result is frozen, because calls share it.
 */
export class Memo<Source extends object, Made> {
  readonly #entries = new WeakMap<Source, Entry<Made>>();

  /**
   * Returns the result that was made of the source with these inputs.
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

/** Returns the function with a {@link Memo} of its results. */
export function remembering<Source extends object, Made>(make: (source: Source) => Made): (source: Source) => Made {
  const memo = new Memo<Source, Made>();
  return (source) => memo.of(source, make);
}

function isSameList(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

/** Returns true for a primitive value, and for a frozen object in which everything is frozen too. */
function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  // Plain loops without lists: this runs for every new message of a request.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isDeepFrozen(value[index])) return false;
    return true;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && !isDeepFrozen(item)) return false;
  }
  return true;
}

/** Freezes plain data and everything in it. What is frozen already is not looked into. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) deepFreeze(value[index]);
  else for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
