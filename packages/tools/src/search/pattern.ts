import { PalimpsestError } from '@palimpsest/events';

/** A pattern is no regular expression, or needs what no engine can match in linear time. */
export class SearchPatternError extends PalimpsestError {
  static override get typeName(): string {
    return 'SearchPatternError';
  }

  readonly pattern: string;

  constructor(pattern: string, reason: string, options?: { readonly cause?: unknown }) {
    super('search-pattern', `/${pattern}/ ${reason}`, options);
    this.pattern = pattern;
  }
}

/** One pattern in the syntaxes of both engines. They agree on what it matches. */
export interface EnginePatterns {
  /** For RE2. */
  readonly re2: string;
  /** For ripgrep. */
  readonly rust: string;
}

/** The characters that `\d`, `\w` and `\s` stand for, as in JavaScript and in RE2; ripgrep would take them for all of Unicode. */
const classes: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\x0b\\f\\r ' };

/** Escapes that mean the same to both engines. */
const shared = new Set([...'tnrfvzABb']);

/** Patterns that only a line break matches. */
const lineBreak = /^(?:\n|\\n|\\x0a|\\u000a|\\[ux]\{0*a\}|\[(?:\\n|\n)+\])/i;

/**
 * Changes a pattern, written as models write it (in JavaScript), for both engines: braces that are no quantifier and needless
 * escapes are taken literally, `\uNNNN` is a character, `(?<name>` names a group, and classes mean ASCII.
 *
 * @throws {@link SearchPatternError} for look-around and back-references: no engine matches these in linear time.
 */
export function enginePatterns(pattern: string): EnginePatterns {
  const out = { re2: '', rust: '' };
  const add = (re2: string, rust = re2) => {
    out.re2 += re2;
    out.rust += rust;
  };
  let inClass = false;
  /** The quantifier that ends here, such as `{2}?`. */
  let quantifier = '';
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at, at + 80);
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    let taken = character.length;
    const repeats = inClass ? undefined : /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(rest)?.[0];
    const isLazy = repeats === '?' && /^(?:[*+?]|\{[\d,]+\})$/.test(quantifier);
    if (repeats !== undefined && quantifier !== '' && !isLazy) throw unclear(pattern, quantifier, repeats);
    quantifier = repeats === undefined ? '' : quantifier + repeats;
    if (repeats !== undefined) {
      add(repeats);
      taken = repeats.length;
    } else if (!inClass && lineBreak.test(rest)) throw overLines(pattern);
    else if (character === '\\') taken = addEscape(pattern, rest, inClass, add);
    else if (inClass) {
      const posix = /^\[:\^?[a-z]+:\]/.exec(rest)?.[0];
      if (posix !== undefined) {
        add(posix);
        taken = posix.length;
      } else if (character === ']') {
        inClass = false;
        add(']');
      } else if ('[&~'.includes(character)) add(`\\${character}`);
      else if (rest.startsWith('--')) add('\\-');
      else add(character);
    } else if (character === '[') {
      const start = /^\[\^?\]?/.exec(rest)?.[0] ?? '[';
      inClass = true;
      add(start.endsWith(']') ? `${start.slice(0, -1)}\\]` : start);
      taken = start.length;
    } else if (character === '{' || character === '}') add(`\\${character}`);
    else if (character === '$') add('$', '(?:\\r?$)');
    else if (character === '(') taken = addGroup(pattern, rest, add);
    else add(character);
    at += taken;
  }
  return out;
}

type Add = (re2: string, rust?: string) => void;

/** Adds an escape, and returns its length. */
function addEscape(pattern: string, rest: string, inClass: boolean, add: Add): number {
  const name = rest[1];
  if (name === undefined) throw new SearchPatternError(pattern, 'ends in a backslash. Write \\\\ for a backslash.');
  if (/^\\([1-9]|k<)/.test(rest)) throw unsupported(pattern, 'back-references');
  const members = classes[name.toLowerCase()];
  if (members !== undefined) {
    const isNegated = name !== name.toLowerCase();
    // RE2 knows no class in a class; its own \D, \W and \S mean the same.
    if (isNegated) add(`\\${name}`, `[^${members}]`);
    else add(inClass ? members : `[${members}]`);
    return 2;
  }
  const code = /^\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x\{([0-9a-f]{1,6})\}|x([0-9a-f]{2}))/i.exec(rest);
  if (code !== null) {
    add(`\\x{${code.slice(1).find((digits) => digits !== undefined)}}`);
    return code[0].length;
  }
  const property = /^\\([pP])([A-Z]|\{(\^?)(\w+)\})/.exec(rest);
  if (property !== null) {
    const [whole, letter = 'p', short = '', not, long] = property;
    const isNegated = (letter === 'P') !== (not === '^');
    add(`\\${isNegated ? 'P' : 'p'}${long === undefined ? short : `{${long}}`}`);
    return whole.length;
  }
  if (name === '0') add('\\x00');
  else if (!inClass && name === 'z') add('\\z', '(?:\\r?\\z)');
  else if (!inClass && (name === 'b' || name === 'B')) add(`\\${name}`, `(?-u:\\${name})`);
  else if (inClass && name === 'b') add('\\x08');
  else if (shared.has(name)) add(`\\${name}`);
  else if (/[A-Za-z0-9]/.test(name)) {
    throw new SearchPatternError(
      pattern,
      `has the unknown escape \\${name}. Leave out the backslash where the letter is meant.`,
    );
  } else {
    const literal = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    add(/[\\^$.*+?()[\]{}|&~-]/.test(literal) ? `\\${literal}` : literal);
    return 1 + literal.length;
  }
  return 2;
}

/** Adds the beginning of a group, and returns its length. */
function addGroup(pattern: string, rest: string, add: Add): number {
  if (/^\(\?<?[=!]/.test(rest)) throw unsupported(pattern, 'look-ahead and look-behind');
  if (/^\(\?[imsU-]*[^imsU:)<P-]/.test(rest))
    throw new SearchPatternError(pattern, `has the unknown group ${rest.slice(0, 3)}.`);
  const named = /^\(\?P?<(\w+)>/.exec(rest);
  if (named === null) {
    add('(');
    return 1;
  }
  add(`(?P<${named[1]}>`);
  return named[0].length;
}

function unclear(pattern: string, first: string, second: string): SearchPatternError {
  const way = 'Leave one out, or put a group around what both repeat.';
  return new SearchPatternError(pattern, `repeats a repetition (${first}${second}). ${way}`);
}

function overLines(pattern: string): SearchPatternError {
  const way = 'Search for one of the lines, and read the file around it.';
  return new SearchPatternError(pattern, `holds a line break, and each line is searched alone. ${way}`);
}

function unsupported(pattern: string, what: string): SearchPatternError {
  return new SearchPatternError(
    pattern,
    `needs ${what}, which this search does not have, because such a pattern can run for ever. ` +
      'Search for a simpler pattern that finds more, and choose among its lines; or use run_command with a tool of your own.',
  );
}
