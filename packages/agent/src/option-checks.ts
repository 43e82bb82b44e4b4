/** @throws RangeError when the value is not a whole number of at least `least`. Undefined is allowed. */
export function assertCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new RangeError(`${name} must be a whole number of at least ${least}, not ${String(value)}.`);
}

/** @throws RangeError when the value is not more than 0. `Infinity` and undefined are allowed. */
export function assertPositive(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new RangeError(`${name} must be more than 0 (Infinity: no limit), not ${String(value)}.`);
}

/** @throws TypeError when the value has no such method, for instance because a factory was not called or not awaited. */
export function assertMethod(name: string, value: object, method: string, what: string): void {
  if (typeof (value as Partial<Record<string, unknown>> | undefined)?.[method] === 'function') return;
  throw new TypeError(`${name} must be ${what}, with \`${method}\`. Was its factory called, and awaited?`);
}
