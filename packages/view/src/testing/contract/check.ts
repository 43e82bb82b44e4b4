/** Throws an error that says what a condenser did, unless the condition holds. */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
