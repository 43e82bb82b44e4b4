import type { ArgumentLeaf, CallArguments } from './call-arguments.js';

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

/** True for text in one of the two patch formats. */
export function looksLikePatch(text: string): boolean {
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

/** The last part of `["bash", "-lc", "npm test"]` is the command; another list is one command in words, or several commands. */
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
