import { filesOfPatch, wordsOfName } from '../../authoring/calls/arguments.js';
import type { ArgumentRoles, FileOperation } from '../../authoring/calls/arguments.js';
import type { Fact } from './fact.js';

const readVerbs = new Set([
  'read',
  'view',
  'open',
  'show',
  'cat',
  'display',
  'load',
  'fetch',
  'get',
  'print',
  'inspect',
  'examine',
  'peek',
  'look',
  'preview',
]);
const writeVerbs = new Set([
  'write',
  'create',
  'save',
  'put',
  'add',
  'touch',
  'new',
  'generate',
  'make',
  'store',
  'overwrite',
]);
const editVerbs = new Set([
  'edit',
  'multiedit',
  'replace',
  'insert',
  'append',
  'prepend',
  'modify',
  'update',
  'change',
  'patch',
  'apply',
  'rewrite',
  'undo',
  'fix',
  'refactor',
]);
const deleteVerbs = new Set(['delete', 'remove', 'rm', 'unlink', 'erase', 'trash']);
const moveVerbs = new Set(['move', 'rename', 'mv']);
const copyVerbs = new Set(['copy', 'cp', 'duplicate']);
const searchVerbs = new Set([
  'search',
  'grep',
  'find',
  'glob',
  'list',
  'ls',
  'tree',
  'directory',
  'dir',
  'folder',
  'mkdir',
]);

/** A successful call, with its data about files. */
export interface FileCall {
  readonly toolName: string;
  readonly roles: ArgumentRoles;
  /** The tool's answer. */
  readonly body: string;
  /** True if the file was seen before: read, written or found in the log so far. */
  readonly isKnown: (path: string) => boolean;
}

/** Returns the effects of a successful call on files, derived from its name, its arguments and the answer. */
export function fileFacts(call: FileCall): readonly Fact[] {
  const { roles } = call;
  if (roles.patch !== undefined) {
    const files = filesOfPatch(roles.patch);
    if (files.length > 0) return files.map(({ path, operation }) => file(path, operation));
  }
  // A tool with several commands states the command in an argument; its own name is then too general.
  const verbs = new Set(wordsOfName(roles.verb ?? call.toolName));
  const does = (known: ReadonlySet<string>): boolean => [...verbs].some((verb) => known.has(verb));
  const { route } = roles;
  if (route !== undefined && roles.command === undefined && (does(moveVerbs) || does(copyVerbs))) {
    return [...(does(moveVerbs) ? [file(route.from, 'deleted')] : []), file(route.to, 'created')];
  }
  const paths = roles.paths.length > 0 ? roles.paths : pathsInAnswer(call, does(editVerbs) || does(writeVerbs));
  const [first, second] = paths;
  if (first === undefined || roles.command !== undefined) return [];

  if (does(deleteVerbs) && !roles.hasOldText) return paths.map((path) => file(path, 'deleted'));
  if (second !== undefined && does(moveVerbs)) return [file(first, 'deleted'), file(second, 'created')];
  if (second !== undefined && does(copyVerbs)) return [file(second, 'created')];
  if (roles.hasOldText && (roles.hasNewText || roles.hasContent || does(editVerbs))) return all(paths, 'modified');
  if (roles.hasContent && !does(editVerbs)) return paths.map((path) => file(path, writeOperation(path, call)));
  if (roles.hasContent || (does(editVerbs) && !does(readVerbs))) {
    return [...new Set(paths)].map((path) => file(path, saysCreated(path, call) ? 'created' : 'modified'));
  }
  if (roles.hasQuery || does(searchVerbs)) return [];
  if (does(writeVerbs)) return paths.map((path) => file(path, writeOperation(path, call)));
  const isRead = does(readVerbs) || roles.hasRange || hasLineNumbers(call.body);
  return isRead ? paths.filter((path) => !isFolder(path, call.body)).map((path) => file(path, 'read')) : [];
}

/** Returns true for a call whose arguments hold the whole content of the file that it writes. */
export function writesAll({ toolName, roles }: Pick<FileCall, 'toolName' | 'roles'>): boolean {
  if (!roles.hasContent || roles.hasOldText || roles.hasRange || roles.command !== undefined) return false;
  return !wordsOfName(roles.verb ?? toolName).some((verb) => editVerbs.has(verb));
}

function file(path: string, operation: FileOperation): Fact {
  return { kind: 'file', path, operation };
}

function all(paths: readonly string[], operation: FileOperation): readonly Fact[] {
  return [...new Set(paths)].map((path) => file(path, operation));
}

/** The answer states the operation best; if it does not, a file that was never seen is a new one. */
function writeOperation(path: string, { body, isKnown }: FileCall): FileOperation {
  const answer = body.slice(0, 300);
  if (/\b(?:created|new file)\b/i.test(answer)) return 'created';
  if (/\b(?:updated|overwr(?:ote|itten)|modified|replaced|edited)\b/i.test(answer)) return 'modified';
  return isKnown(path) ? 'modified' : 'created';
}

/** Some editors create the file that they edit; later lines of their answer may show its content. */
function saysCreated(path: string, { body, isKnown }: FileCall): boolean {
  return !isKnown(path) && /\b(?:created|new file)\b/i.test(body.slice(0, 300).split('\n', 1)[0] ?? '');
}

/** Editors that work on an open file name the file only in their answer: `[File: a.py (10 lines total)]`. */
function pathsInAnswer({ body, roles }: FileCall, changes: boolean): readonly string[] {
  if (!changes || !(roles.hasContent || roles.hasNewText || roles.hasOldText)) return [];
  const path = /[[(](?:open )?file: ([^\s()[\]]+)/i.exec(body)?.[1];
  return path === undefined || path === 'n/a' ? [] : [path];
}

function hasLineNumbers(body: string): boolean {
  const lines = body
    .slice(0, 2_000)
    .split('\n')
    .slice(0, 12)
    .filter((line) => line.trim() !== '');
  const numbered = lines.filter((line) => /^\s*\d+(?:\t|→|:|\s*\|| {2})/.test(line)).length;
  return lines.length >= 2 && numbered >= lines.length * 0.6;
}

/** Some tools read a folder too: the answer lists its content. */
function isFolder(path: string, body: string): boolean {
  if (/(?:^|\/)\.{0,2}$/.test(path)) return true;
  if (/\.[a-z0-9]{1,8}$/i.test(path)) return false;
  const below = body
    .slice(0, 4_000)
    .split('\n')
    .filter((line) => line.trim().startsWith(`${path}/`));
  return (
    below.length >= 2 ||
    /\b(?:files and directories|directory listing|contents of (?:the )?directory)\b/i.test(body.slice(0, 200))
  );
}
