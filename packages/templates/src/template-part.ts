import { parse, tokenize } from './jinja.js';
import type { JinjaNode, JinjaToken } from './jinja.js';
import { PromptTemplateError } from './template-error.js';

/** A place: a template and the line of a tag, from 1. */
export interface TemplatePlace {
  readonly file: string;
  readonly line: number;
}

/** A token with the place of its tag. */
export interface TemplateToken extends JinjaToken, TemplatePlace {}

/** The tag `{% include 'name' %}`. The library has no such statement. */
export interface TemplateInclude extends TemplatePlace {
  readonly include: string;
}

/** The text of one template, with its include tags. */
export interface TemplatePart {
  readonly file: string;
  /** Its length. Unit: characters. */
  readonly characters: number;
  readonly pieces: readonly (TemplateToken | TemplateInclude)[];
}

/** Parses the text of one template. @throws {@link PromptTemplateError} when the text is not a valid template. */
export function templatePart(text: string, file: string, trimBlocks: boolean): TemplatePart {
  // As in Jinja, a byte order mark and line endings added by editors are not part of the text.
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  refuseLongWhiteSpace(source, file);
  return { file, characters: source.length, pieces: withIncludes(tokensOf(source, file, trimBlocks), file) };
}

/** True for a token; false for an include tag. */
export function isToken(piece: TemplateToken | TemplateInclude): piece is TemplateToken {
  return !('include' in piece);
}

/** @throws {@link PromptTemplateError} that names the line of the wrong tag. */
export function parseTokens(tokens: readonly TemplateToken[], file: string): JinjaNode {
  try {
    return parse(tokens);
  } catch (error) {
    const at = tokens[farthestRead(tokens)];
    const reason =
      at === undefined ? 'it ends inside of a block; close it with {% endif %}, {% endfor %} …' : messageOf(error);
    throw new PromptTemplateError(at?.file ?? file, `does not parse: ${reason}.`, { cause: error, line: at?.line });
  }
}

/** The library's errors name no place. It reads the tokens one by one, so the farthest token read is the place of the error. */
function farthestRead(tokens: readonly TemplateToken[]): number {
  let farthest = 0;
  const watched = new Proxy([...tokens], {
    get(target, key, receiver) {
      const index = typeof key === 'string' ? Number(key) : NaN;
      if (index > farthest) farthest = index;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  try {
    parse(watched);
  } catch {
    // As before.
  }
  return farthest;
}

/** The library's error message without its full stop. */
export function messageOf(error: unknown): string {
  if (error instanceof RangeError && /call stack/i.test(error.message)) return 'its parts stand in each other too deep';
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

function withIncludes(tokens: readonly TemplateToken[], file: string): readonly (TemplateToken | TemplateInclude)[] {
  const pieces: (TemplateToken | TemplateInclude)[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as TemplateToken;
    const [keyword, target, end] = tokens.slice(index + 1, index + 4);
    if (token.type !== 'OpenStatement' || keyword?.type !== 'Identifier' || keyword.value !== 'include') {
      pieces.push(token);
      continue;
    }
    if (target?.type !== 'StringLiteral' || end?.type !== 'CloseStatement') {
      const reason = "does not parse: an include is written {% include 'name' %}, with nothing else.";
      throw new PromptTemplateError(file, reason, { line: token.line });
    }
    pieces.push({ include: target.value, file, line: token.line });
    index += 3;
  }
  return pieces;
}

const opening: ReadonlySet<string> = new Set(['OpenStatement', 'OpenExpression', 'Comment']);

function tokensOf(text: string, file: string, trimBlocks: boolean): readonly TemplateToken[] {
  const tags = tagsIn(text);
  let seen = 0;
  try {
    return tokenize(text, { trim_blocks: trimBlocks, lstrip_blocks: trimBlocks }).map(({ type, value }) => {
      if (opening.has(type)) seen++;
      return { type, value, file, line: tags[Math.max(0, seen - 1)]?.line ?? 1 };
    });
  } catch (error) {
    const line = tags.find(({ words }) => !isTokens(words))?.line;
    throw new PromptTemplateError(file, `does not parse: ${messageOf(error)}.`, { cause: error, line });
  }
}

function isTokens(words: string): boolean {
  try {
    tokenize(words);
    return true;
  } catch {
    return false;
  }
}

const closings: Readonly<Record<string, string>> = { '{#': '#}', '{%': '%}', '{{': '}}' };
/** The library treats these tags as white space. */
const skipped = /^\{%-?\s*(?:end)?generation\s*-?%\}$/;

/** The tags of a text with their lines, found in a single pass for any input. */
function tagsIn(text: string): readonly { readonly words: string; readonly line: number }[] {
  const tags: { words: string; line: number }[] = [];
  const absent = new Set<string>();
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    const closing = closings[text.slice(at, at + 2)];
    if (closing === undefined || absent.has(closing)) continue;
    const end = text.indexOf(closing, at + 2);
    if (end === -1) {
      absent.add(closing);
      continue;
    }
    for (; counted < at; counted++) if (text[counted] === '\n') line++;
    const words = text.slice(at, end + 2);
    if (!skipped.test(words)) tags.push({ words, line });
    at = end + 1;
  }
  return tags;
}

/** The library's time grows with the square of this length. Unit: characters. */
const longestWhiteSpace = 1_000;

function refuseLongWhiteSpace(text: string, file: string): void {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    length = /\s/.test(text.charAt(index)) ? length + 1 : 0;
    if (length <= longestWhiteSpace) continue;
    const line = text.slice(0, index).split('\n').length;
    throw new PromptTemplateError(
      file,
      `does not parse: more than ${longestWhiteSpace} characters of white space in a row; remove some.`,
      { line },
    );
  }
}
