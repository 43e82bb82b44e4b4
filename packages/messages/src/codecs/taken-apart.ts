/** The rules by which one kind of host's messages are taken apart and made of their pieces again. */
export interface Joints<Whole extends object, Piece extends object> {
  /**
   * Returns new objects, in the order in which the provider gets them: what the model said with its calls, then their results. A message that the
   * provider does not get has a piece without content.
   */
  apart(whole: Whole): readonly Piece[];
  /**
   * Returns the message of some pieces, at least one of which is changed or missing. Undefined if nothing of them can be sent.
   *
   * @param whole - the message that they were pieces of. Undefined for a piece of none: a summary
   */
  joined(pieces: readonly Piece[], whole: Whole | undefined): Whole | undefined;
}

/** A list of a host, taken apart. */
export interface TakenApart<Whole extends object, Piece extends object> {
  /** The list that a history fits. */
  readonly pieces: readonly Piece[];
  /**
   * Puts the pieces together that a fit returned. A message of which every piece is there and unchanged is the host's own object.
   *
   * @throws whatever {@link Joints.joined} throws
   */
  together(sent: readonly Piece[]): readonly Whole[];
}

/** Stands in a piece and in the copies that a codec makes of it. A symbol is no part of a message: nothing reads or stores it. */
const origin = Symbol('palimpsest.origin');

/**
 * Takes a list apart whose messages hold calls and their results in one, so that a codec can read it: in a history calls and results are messages of
 * their own. The codec's copies have to be made by spreading, as those of this package are.
 *
 * @example
 * ```ts
 * const { pieces, together } = takenApart(list, joints);
 * const { messages } = await history.fit(pieces);
 * send(together(messages));
 * ```
 */
export function takenApart<Whole extends object, Piece extends object>(
  list: readonly Whole[],
  { apart, joined }: Joints<Whole, Piece>,
): TakenApart<Whole, Piece> {
  const piecesOf = new Map(
    list.map((whole) => [whole, apart(whole).map((piece): Piece => ({ ...piece, [origin]: whole }))] as const),
  );
  const originOf = (piece: Piece) => (piece as { readonly [origin]?: Whole })[origin];
  return {
    pieces: list.flatMap((whole) => piecesOf.get(whole) ?? []),
    together: (sent) =>
      groupsOf(sent, originOf).flatMap((pieces) => {
        const whole = pieces[0] === undefined ? undefined : originOf(pieces[0]);
        const own = whole === undefined ? [] : (piecesOf.get(whole) ?? []);
        const isWhole = pieces.length === own.length && pieces.every((piece, index) => piece === own[index]);
        return (isWhole ? whole : joined(pieces, whole)) ?? [];
      }),
  };
}

/** Neighbours that were one message. A piece of no message stands alone. */
function groupsOf<Piece>(sent: readonly Piece[], originOf: (piece: Piece) => unknown): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  sent.forEach((piece, index) => {
    const from = originOf(piece);
    const before = sent[index - 1];
    if (before !== undefined && from !== undefined && originOf(before) === from) groups.at(-1)?.push(piece);
    else groups.push([piece]);
  });
  return groups;
}
