/** `claude-opus-5-5`, `claude-haiku-4-5-20251001`, `claude-3-5-sonnet-20241022`; cloud names have something before it. */
const current = /claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:[-@:]|$)/i;
const older = /claude-(\d)(?:-(\d))?-[a-z]+/i;

/** The generation of a Claude model; undefined for one that this version cannot place. */
export function modelVersion(model: string): { readonly major: number; readonly minor: number } | undefined {
  const match = current.exec(model) ?? older.exec(model);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2] ?? 0) };
}

/**
 * True where a request that says nothing of thinking leaves it off: before generation 5. There, thinking in the turn that
 * the model is to continue is refused. A model that cannot be placed is taken for a new one.
 *
 * @see models-and-prices 1; https://github.com/tailcallhq/forgecode/issues/1853 for the refusal
 */
export function leavesThinkingOff(model: string): boolean {
  return (modelVersion(model)?.major ?? Number.POSITIVE_INFINITY) < 5;
}
