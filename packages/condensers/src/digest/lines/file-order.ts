import { gap, shortestKey } from './text-lines.js';
import type { TextLine } from './text-lines.js';

/**
 * Puts the lines of several texts of one file into one order. Lines of one text keep theirs, up to a {@link gap}. A line that one text alone
 * has stands behind the line that precedes it there; without one that an older text has, before the next such line, or by its number. A line
 * of several texts is that of the newest. Lines that were taken away are not added.
 *
 * @param texts - the oldest first
 */
export function inFileOrder(texts: readonly (readonly TextLine[])[]): readonly TextLine[] {
  let order: readonly TextLine[] = [];
  for (const part of texts.flatMap(partsOf)) order = withPart(order, part);
  return order;
}

function partsOf(text: readonly TextLine[]): readonly (readonly TextLine[])[] {
  const parts: TextLine[][] = [[]];
  for (const line of text) {
    if (line === gap) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}

function withPart(order: readonly TextLine[], part: readonly TextLine[]): readonly TextLine[] {
  const common = placesOfCommon(order, part);
  let at = beginOf(order, part, common);
  const out = order.slice(0, at);
  for (const line of part) {
    const place = order[at]?.key === line.key ? at : (common.get(line.key) ?? -1);
    const isKnown = place >= at;
    for (; isKnown && at < place; at++) out.push(order[at] as TextLine);
    if (!line.isGone) out.push(line);
    else if (isKnown) out.push(order[at] as TextLine);
    if (isKnown) at++;
  }
  return [...out, ...order.slice(at)];
}

/** Returns where in the order the lines stand that say enough, and that both have once. */
function placesOfCommon(order: readonly TextLine[], part: readonly TextLine[]): ReadonlyMap<string, number> {
  const own = placesOfSingle(part);
  return new Map([...placesOfSingle(order)].filter(([key]) => own.has(key)));
}

function placesOfSingle(lines: readonly TextLine[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const again = new Set<string>();
  lines.forEach(({ key }, place) => {
    if (key.length < shortestKey) return;
    if (places.has(key)) again.add(key);
    else places.set(key, place);
  });
  for (const key of again) places.delete(key);
  return places;
}

function beginOf(order: readonly TextLine[], part: readonly TextLine[], common: ReadonlyMap<string, number>): number {
  for (const { key } of part) {
    const place = common.get(key);
    if (place !== undefined) return place;
  }
  const first = part.find(({ number }) => number !== undefined)?.number;
  return first === undefined ? order.length : order.findLastIndex(({ number = Infinity }) => number < first) + 1;
}
