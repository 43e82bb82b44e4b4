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

/** Returns the words of a name in any usual spelling, in lower case: `readFile`, `read_file` and `ReadFile` give the same words. */
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

const pathWords = new Set([
  'path',
  'paths',
  'filepath',
  'filepaths',
  'file',
  'files',
  'filename',
  'filenames',
  'notebook',
]);
const contentWords = new Set(['content', 'contents', 'text', 'body', 'data', 'code']);
const oldWords = new Set(['old', 'search', 'find', 'original', 'before']);
const newWords = new Set(['new', 'replace', 'replacement', 'updated', 'after']);
const queryWords = new Set(['pattern', 'query', 'regex', 'regexp', 'glob', 'keyword', 'keywords', 'needle']);
const rangeWords = new Set(['offset', 'limit', 'range', 'line', 'lines', 'start', 'end']);
const commandWords = new Set(['command', 'commands', 'cmd', 'cmds', 'script', 'shell', 'bash']);
const fromWords = new Set(['source', 'src', 'from']);
const toWords = new Set(['destination', 'dest', 'dst', 'to', 'target']);
const patchWords = new Set(['patch', 'diff']);
const editorVerb = /^[a-z][a-z_-]{0,30}$/i;

/** The roles of a call's arguments, derived from their names and shapes alone. */
export interface ArgumentRoles {
  /** The paths, in the order in which they were written. */
  readonly paths: readonly string[];
  /** The source and target of a move or a copy, if the names state only that and the values look like paths. */
  readonly route?: { readonly from: string; readonly to: string };
  /** Shell text. */
  readonly command?: string;
  /** The command word of an editor (`view`, `str_replace`), if one tool has several commands. */
  readonly verb?: string;
  readonly hasContent: boolean;
  readonly hasOldText: boolean;
  readonly hasNewText: boolean;
  readonly hasQuery: boolean;
  readonly hasRange: boolean;
  /** Text that may be a patch: from an argument with such a name, or any text that looks like one. */
  readonly patch?: string;
}

/** Derives the roles of a call's arguments. */
export function argumentRoles(call: CallArguments): ArgumentRoles {
  const paths = call.leaves.flatMap((leaf) => (isPath(leaf) ? [(leaf.value as string).trim()] : []));
  const patch = patchOf(call);
  const command = commandOf(call);
  const isVerb = command !== undefined && paths.length > 0 && editorVerb.test(command);
  const has = (words: ReadonlySet<string>): boolean =>
    call.leaves.some((leaf) => words.has(leaf.words[0] ?? '') && leaf.value !== '' && !isPath(leaf));
  const hasOldText = has(oldWords);
  return {
    paths,
    ...routeOf(call),
    ...(command === undefined ? {} : isVerb ? { verb: command } : { command }),
    patch,
    hasContent: call.leaves.some(isContent) || (!hasOldText && call.leaves.some(isNewContent)),
    hasOldText,
    hasNewText: has(newWords),
    hasQuery: call.leaves.some(({ words }) => queryWords.has(words.at(-1) ?? '')),
    hasRange: call.leaves.some(
      ({ words, value }) => typeof value === 'number' && words.some((word) => rangeWords.has(word)),
    ),
  };
}

/** Returns the texts that a call replaces, those that it puts in their place, and other content that it writes. */
export function replacedTexts({ leaves }: CallArguments): {
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  readonly content: readonly string[];
} {
  const texts = leaves.filter((leaf) => typeof leaf.value === 'string' && leaf.value !== '' && !isPath(leaf));
  const named = (words: ReadonlySet<string>): string[] =>
    texts.filter((leaf) => words.has(leaf.words[0] ?? '')).map(({ value }) => value as string);
  const content = texts.filter(isContent).map(({ value }) => value as string);
  return { old: named(oldWords), fresh: named(newWords), content };
}

/** Returns true for text in one of the two patch formats. */
function looksLikePatch(text: string): boolean {
  return /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/m.test(text) || /^--- \S.*\r?\n\+\+\+ \S/m.test(text);
}

function routeOf({ leaves }: CallArguments): Pick<ArgumentRoles, 'route'> {
  const named = (known: ReadonlySet<string>): string | undefined => {
    const found = leaves.find((leaf) => leaf.words.length === 1 && known.has(leaf.words[0] ?? '') && isOneLine(leaf));
    return found === undefined ? undefined : (found.value as string).trim();
  };
  const [from, to] = [named(fromWords), named(toWords)];
  const readsAsPath = (text: string): boolean => !text.includes('://') && /\/|\.[a-z0-9]{1,8}$/i.test(text);
  return from !== undefined && to !== undefined && readsAsPath(from) && readsAsPath(to) ? { route: { from, to } } : {};
}

function isOneLine({ value }: ArgumentLeaf): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 512 && !/[\n\r\0]/.test(value);
}

function isPath(leaf: ArgumentLeaf): boolean {
  const { words } = leaf;
  if (!isOneLine(leaf)) return false;
  const last = words.at(-1) ?? '';
  // The path of a name, a symbol, a key or a URL is not the path of a file.
  if (last === 'path' && ['name', 'symbol', 'json', 'key', 'url'].includes(words.at(-2) ?? '')) return false;
  return pathWords.has(last) || (last === 'name' && words.at(-2) === 'file');
}

function isContent({ words, value }: ArgumentLeaf): boolean {
  if (typeof value !== 'string') return false;
  const [first = ''] = words;
  return contentWords.has(words.at(-1) ?? '') && !oldWords.has(first) && !newWords.has(first);
}

/** `newContents` without an old text is the complete content of the file. */
function isNewContent({ words, value }: ArgumentLeaf): boolean {
  return typeof value === 'string' && contentWords.has(words.at(-1) ?? '') && newWords.has(words[0] ?? '');
}

function commandOf({ object }: CallArguments): string | undefined {
  for (const [key, value] of Object.entries(object)) {
    if (!isCommandKey(key)) continue;
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
      return commandOfList(value);
  }
  return undefined;
}

function isCommandKey(key: string): boolean {
  const words = key.toLowerCase().split(/[^a-z]+/);
  return commandWords.has(words.at(-1) ?? '') || /^(?:shell|bash)?command(?:line)?$/i.test(key);
}

/**
 * Returns the command of a list. The last part of `["bash", "-lc", "npm test"]` is the command; another list is one command in
 * words, or several commands.
 */
function commandOfList(parts: readonly string[]): string {
  const [program = '', flag = ''] = parts;
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(flag)) return parts.slice(2).join(' ');
  return parts.some((part) => /\s/.test(part)) && !parts.some((part) => part.startsWith('-'))
    ? parts.join(' && ')
    : parts.join(' ');
}

function patchOf({ leaves, plainText }: CallArguments): string | undefined {
  if (plainText !== undefined) return looksLikePatch(plainText) ? plainText : undefined;
  const texts = leaves.filter(({ value }) => typeof value === 'string');
  const named = texts.find(({ words, value }) => patchWords.has(words.at(-1) ?? '') && looksLikePatch(value as string));
  const found =
    named ?? texts.find(({ words, value }) => !contentWords.has(words.at(-1) ?? '') && looksLikePatch(value as string));
  return found?.value as string | undefined;
}

/** The operation on a file. */
export type FileOperation = 'created' | 'modified' | 'deleted' | 'read';

/** One file of a patch and its operation. */
export interface PatchedFile {
  readonly path: string;
  readonly operation: FileOperation;
}

/** Returns the files of a patch in order, from the `*** Begin Patch` format or a unified diff. */
export function filesOfPatch(patch: string): readonly PatchedFile[] {
  const marked = filesOfMarkedPatch(patch);
  return marked.length > 0 ? marked : filesOfUnifiedDiff(patch);
}

function filesOfMarkedPatch(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, word, path = ''] of patch.matchAll(
    /^\*\*\* (Add File|Update File|Delete File|Move to): ([^\r\n]+)/gm,
  )) {
    const trimmed = path.trim();
    const last = files.at(-1);
    if (word === 'Move to') {
      if (last !== undefined) files[files.length - 1] = { path: last.path, operation: 'deleted' };
      files.push({ path: trimmed, operation: 'created' });
    } else {
      files.push({
        path: trimmed,
        operation: word === 'Add File' ? 'created' : word === 'Delete File' ? 'deleted' : 'modified',
      });
    }
  }
  return files;
}

function filesOfUnifiedDiff(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, before = '', after = ''] of patch.matchAll(/^--- ([^\r\n\t]+)[^\r\n]*\r?\n\+\+\+ ([^\r\n\t]+)/gm)) {
    const from = diffPath(before);
    const to = diffPath(after);
    if (to === undefined && from !== undefined) files.push({ path: from, operation: 'deleted' });
    else if (to !== undefined) {
      files.push({ path: to, operation: from === undefined ? 'created' : 'modified' });
      if (from !== undefined && from !== to) files.push({ path: from, operation: 'deleted' });
    }
  }
  return files;
}

/** Returns the path without the `a/` or `b/` prefix of version control; undefined for `/dev/null`. */
function diffPath(text: string): string | undefined {
  const path = text.trim();
  return path === '/dev/null' ? undefined : path.replace(/^[ab]\//, '');
}
