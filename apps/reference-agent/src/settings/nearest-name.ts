/** ` Did you mean 'x'?` for the known name that was most likely meant: another spelling, or a typing error. Otherwise empty. */
export function didYouMean(name: string, known: readonly string[]): string {
  const wanted = plain(name);
  let nearest: string | undefined;
  let fewest = Math.ceil(wanted.length / 3) + 1;
  for (const one of known) {
    const slips = editsBetween(wanted, plain(one));
    if (slips < fewest) [nearest, fewest] = [one, slips];
  }
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

/** `max_cost`, `max-cost` and `maxCost` are the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The number of letters to add, remove or replace. A long name is no slip of a short one, and would take long to compare. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8) return Infinity;
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
