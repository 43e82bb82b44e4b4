/** Names in other projects for our names, if the two look different. Keys are normalised. */
const elsewhere: Readonly<Record<string, string>> = {
  condensers: 'stages',
  maxeventlength: 'maxEventCharacters',
  compactor: 'llm',
  llmconfig: 'llm',
  maxevents: 'maxSize',
  hardresettries: 'tries',
};

/**
 * The known name that was most likely meant: another spelling (`keep_first`), a longer or shorter form (`recent`), or a name with
 * a typing error. Undefined if no name is near.
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  const wanted = normalised(name);
  if (wanted === '') return undefined;
  const renamed = Object.hasOwn(elsewhere, wanted) ? elsewhere[wanted] : undefined;
  if (renamed !== undefined && known.includes(renamed)) return renamed;
  const same = known.find((one) => normalised(one) === wanted);
  if (same !== undefined) return same;
  const form = known.find((one) => normalised(one).startsWith(wanted) || wanted.startsWith(normalised(one)));
  if (form !== undefined && wanted.length >= 3) return form;
  let best: string | undefined;
  let fewest = Math.floor(wanted.length / 3) + 1;
  for (const one of known) {
    const slips = slipsBetween(wanted, normalised(one));
    if (slips < fewest) [best, fewest] = [one, slips];
  }
  return best;
}

/** ` Did you mean 'x'?`, or an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearMiss(name, known);
  return near === undefined ? '' : ` Did you mean '${near}'?`;
}

function normalised(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The number of letters to add, remove or replace. */
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
