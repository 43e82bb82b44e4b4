import type { PlanFact } from '@palimpsest/provider-servers';

const nouns =
  'ledger harbour carrier invoice parcel tariff depot manifest voucher cargo quota convoy berth customs pallet route'.split(
    ' ',
  );
const verbs = 'checks moves rounds sorts merges prints splits counts loads marks sends stores'.split(' ');
const adjectives = 'early late open closed heavy light partial double local foreign spare old'.split(' ');

/** Returns a number of five digits. */
export function code(random: () => number): string {
  return String(10_000 + Math.floor(random() * 90_000));
}

/** Returns one of the items. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Returns the items in another order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

/** Returns the numbers from 1 on, all with as many digits, so that the order of names is theirs. */
export function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    String(index + 1).padStart(Math.max(2, String(count).length), '0'),
  );
}

/** Splits a list into pieces of at most so many items. */
export function inPieces<Item>(items: readonly Item[], most: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / most);
  return Array.from({ length: count }, (_, index) => items.slice(index * most, (index + 1) * most));
}

/** Returns lines of a program that no task asks about. */
export function programLines(count: number, random: () => number): readonly string[] {
  return Array.from({ length: count }, () => {
    const [what, other] = [pick(nouns, random), pick(nouns, random)];
    const does = pick(verbs, random);
    return pick(
      [
        `export const ${does}${upper(what)}${code(random)} = (${other}) => ${other}.${does}(${code(random)});`,
        `function ${does}${upper(other)}${code(random)}(${what}) { return ${what} % ${code(random)}; }`,
        `// The ${pick(adjectives, random)} ${what} ${does} each ${other} behind the ${pick(nouns, random)}.`,
      ],
      random,
    );
  });
}

/** Returns lines of prose that no task asks about. */
export function proseLines(count: number, random: () => number): readonly string[] {
  return Array.from({ length: count }, () => {
    const words = () => `${pick(adjectives, random)} ${pick(nouns, random)}`;
    return `The ${words()} ${pick(verbs, random)} the ${words()}, and number ${code(random)} ${pick(verbs, random)} a ${words()}.`;
  });
}

/** Returns lines of a log that no task asks about. */
export function logLines(count: number, random: () => number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const clock = `${String(Math.floor(index / 8) % 24).padStart(2, '0')}:${String((index * 7) % 60).padStart(2, '0')}`;
    return `${clock} INFO ${pick(nouns, random)}-${code(random)} ${pick(verbs, random)} ${pick(adjectives, random)} ${pick(nouns, random)} in ${code(random)} us`;
  });
}

/** Puts lines at places of their own between others. */
export function hidden(lines: readonly string[], between: readonly string[], random: () => number): readonly string[] {
  const all = [...between];
  for (const line of lines) all.splice(1 + Math.floor(random() * (all.length - 1)), 0, line);
  return all;
}

/** Returns a fact that a line of a file shows. @throws Error when no line does, which is a mistake of a generator */
export function factIn(file: string, lines: readonly string[], shows: string, value: string): PlanFact {
  const index = lines.findIndex((line) => line.includes(shows));
  if (index === -1) throw new Error(`'${shows}' does not stand in '${file}'.`);
  return { shows, value, file, line: index + 1 };
}

/** Returns the text of a file. */
export function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function upper(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
