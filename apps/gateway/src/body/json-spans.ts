/** A part of a text. Unit: its characters, of which each stands for a byte. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value of an object, with its key. */
export interface Member extends Span {
  readonly key: string;
}

/**
 * Returns the members of the object that a JSON text is, with the places of their values. The text has one character for each byte, and is valid:
 * `JSON.parse` has taken the bytes. Empty if it is no object.
 *
 * @throws RangeError for more levels of nesting than 500
 */
export function membersOf(text: string): readonly Member[] {
  const members: Member[] = [];
  let at = blankEnd(text, 0);
  if (text[at] !== '{') return members;
  for (at = blankEnd(text, at + 1); text[at] === '"'; at = separatorEnd(text, at)) {
    const keyEnd = stringEnd(text, at);
    const start = blankEnd(text, blankEnd(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    const key = JSON.parse(Buffer.from(text.slice(at, keyEnd), 'latin1').toString()) as string;
    members.push({ key, start, end });
    at = end;
  }
  return members;
}

/** Returns the places of the elements of the array that begins at a place of a valid JSON text. */
export function elementsOf(text: string, array: Span): readonly Span[] {
  const elements: Span[] = [];
  for (let at = blankEnd(text, array.start + 1); text[at] !== ']'; at = separatorEnd(text, at)) {
    const end = valueEnd(text, at);
    elements.push({ start: at, end });
    at = end;
  }
  return elements;
}

/** Returns the place of the next value behind a comma, or of the bracket that closes. */
function separatorEnd(text: string, at: number): number {
  const end = blankEnd(text, at);
  return text[end] === ',' ? blankEnd(text, end + 1) : end;
}

function blankEnd(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\n' || text[end] === '\r' || text[end] === '\t') end++;
  return end;
}

/** The deepest nesting that is read. No request of an agent has more, and more would exceed the stack of whoever walks it. */
const mostLevels = 500;
const brackets = /["[\]{}]/g;
const scalars = /[^,\]}\s]*/y;

function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at);
  if (text[at] !== '{' && text[at] !== '[') {
    scalars.lastIndex = at;
    return at + (scalars.exec(text)?.[0].length ?? 0);
  }
  let depth = 0;
  let end = at;
  do {
    brackets.lastIndex = end;
    const found = brackets.exec(text);
    if (found === null) return text.length;
    end = found.index + 1;
    if (found[0] === '"') end = stringEnd(text, found.index);
    else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    if (depth > mostLevels) throw new RangeError(`More than ${mostLevels} levels of nesting.`);
  } while (depth > 0);
  return end;
}

/** Returns the place behind the string that begins at a place. */
function stringEnd(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
