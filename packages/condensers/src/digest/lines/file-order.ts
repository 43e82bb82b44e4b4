import { remembered } from '../../authoring/calls/remembered.js';
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

/** Lines without a gap between them. */
interface Part {
  readonly lines: readonly TextLine[];
  /** Those that stand once, and that say enough to be found by. */
  readonly single: ReadonlySet<string>;
}

const partsOf = (text: readonly TextLine[]): readonly Part[] => readParts(text, undefined);

const readParts = /* @__PURE__ */ remembered((text: readonly TextLine[], _: undefined): readonly Part[] => {
  const parts: TextLine[][] = [[]];
  for (const line of text) {
    if (line === gap) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => ({ lines, single: new Set(placesOfSingle(lines).keys()) }));
});

function withPart(order: readonly TextLine[], part: Part): readonly TextLine[] {
  const common = placesOfSingle(order, part.single);
  let at = beginOf(order, part.lines, common);
  const out = order.slice(0, at);
  for (const line of part.lines) {
    const place = order[at]?.key === line.key ? at : (common.get(line.key) ?? -1);
    const isKnown = place >= at;
    for (; isKnown && at < place; at++) out.push(order[at] as TextLine);
    if (!line.isGone) out.push(line);
    else if (isKnown) out.push(order[at] as TextLine);
    if (isKnown) at++;
  }
  return [...out, ...order.slice(at)];
}

/** Returns the places of the lines that say enough, that stand once, and that another text has too. */
function placesOfSingle(lines: readonly TextLine[], common?: ReadonlySet<string>): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const again = new Set<string>();
  lines.forEach(({ key }, place) => {
    if (key.length < shortestKey || common?.has(key) === false) return;
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
