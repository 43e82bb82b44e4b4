/**
 * Returns the known name that was most likely meant: another spelling (`keep_first`), a longer or shorter form (`recent`), or a name with
 * a typing error. Undefined if no name is near.
 */
export function nearName(name: string, known: readonly string[]): string | undefined {
  const wanted = plainName(name);
  if (wanted === '') return undefined;
  const same = known.find((one) => plainName(one) === wanted);
  if (same !== undefined) return same;
  const distance = (one: string) => Math.abs(plainName(one).length - wanted.length);
  const [form] = known
    .filter((one) => plainName(one).startsWith(wanted) || wanted.startsWith(plainName(one)))
    .sort((one, other) => distance(one) - distance(other));
  if (form !== undefined && wanted.length >= 3) return form;
  let best: string | undefined;
  let fewest = Math.ceil(wanted.length / 3) + 1;
  for (const one of known) {
    // A long name is no slip of a short one, and would take long to compare.
    if (distance(one) >= fewest) continue;
    const slips = slipsBetween(wanted, plainName(one));
    if (slips < fewest) [best, fewest] = [one, slips];
  }
  return best;
}

/** Returns a name without what its spellings differ in: `keep_first` and `keepFirst` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Returns the number of letters to add, remove or replace. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let other = 1; other <= b.length; other++) {
      const replaced = (row[other - 1] ?? 0) + (b[other - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
