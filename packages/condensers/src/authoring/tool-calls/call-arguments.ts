/** One text, number or truth value somewhere in a call's arguments. */
export interface ArgumentLeaf {
  /** The name of the argument; items of a list have the list's name. */
  readonly key: string;
  /** The words of the name, in lower case: `new`, `text` for both `newText` and `new_text`. */
  readonly words: readonly string[];
  readonly value: string | number | boolean;
}

/** The arguments of a call: an object, or plain text in its place. */
export interface CallArguments {
  readonly object: Readonly<Record<string, unknown>>;
  readonly leaves: readonly ArgumentLeaf[];
  /** Set if the model wrote something other than a JSON object. */
  readonly plainText?: string;
}

const maximumLeaves = 300;
/**
 * The nesting limit. A model can write deeper arguments, which would overflow the stack, but no tool accepts them. Unit: levels.
 */
const deepest = 64;
/** The size of the cache: agents have few tools and few argument names, and each is read at every call. Unit: names. */
const rememberedNames = 4_096;
const longestRemembered = 64;
const rememberedWords = new Map<string, readonly string[]>();

/** Parses the arguments that a model wrote. Never throws: text that does not parse is kept as plain text. */
export function parseArguments(text: string): CallArguments {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { object: {}, leaves: [], ...(text.trim() === '' ? {} : { plainText: text }) };
  }
  const leaves: ArgumentLeaf[] = [];
  collect(value, '', leaves);
  return { object: value as Readonly<Record<string, unknown>>, leaves };
}

/** The words of a name in any usual spelling, in lower case: `readFile`, `read_file` and `ReadFile` give the same words. */
export function wordsOfName(name: string): readonly string[] {
  const known = rememberedWords.get(name);
  if (known !== undefined) return known;
  const words = splitWords(name);
  if (name.length <= longestRemembered && rememberedWords.size < rememberedNames) rememberedWords.set(name, words);
  return words;
}

function splitWords(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => splitCompound(word))
    .filter((word) => word !== '');
}

/** Names such as `readfile` have no separator; the operation comes before `file`. */
function splitCompound(word: string): readonly string[] {
  const match = /^(read|write|edit|create|delete|remove|open|view|move|rename|list)(files?|dir)$/.exec(word);
  return match === null ? [word] : [match[1] as string, match[2] as string];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(value: unknown, key: string, leaves: ArgumentLeaf[], depth = 0): void {
  if (leaves.length >= maximumLeaves || depth > deepest) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, key, leaves, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(item, name, leaves, depth + 1);
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    leaves.push({ key, words: wordsOfName(key), value });
  }
}
