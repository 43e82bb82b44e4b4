/** The place of a part in a list of lists. */
export interface PartPlace {
  readonly list: number;
  readonly part: number;
}

/** True if the first place stands before the second. */
export function isBefore(one: PartPlace, other: PartPlace): boolean {
  return one.list < other.list || (one.list === other.list && one.part < other.part);
}

/** The places without repetitions, in the order of their first appearance. */
export function distinctPlaces(places: readonly PartPlace[]): readonly PartPlace[] {
  const isSame = (one: PartPlace, other: PartPlace) => one.list === other.list && one.part === other.part;
  return places.filter((place, index) => places.findIndex((other) => isSame(place, other)) === index);
}
