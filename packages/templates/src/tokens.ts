import { PromptTemplateError } from './errors.js';
import { isNode, membersOf, parse, tokenize } from './jinja.js';
import type { JinjaNode, JinjaToken } from './jinja.js';

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
  readonly pieces: readonly (TemplateToken | TemplateInclude)[];
}

/** Parses the text of one template. @throws {@link PromptTemplateError} when the text is not a valid template. */
export function templatePart(text: string, file: string, trimBlocks: boolean): TemplatePart {
  // As in Jinja, a byte order mark and line endings added by editors are not part of the text.
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return { file, pieces: withIncludes(tokensOf(source, file, trimBlocks), file) };
}

/** Returns true for a token; false for an include tag. */
export function isToken(piece: TemplateToken | TemplateInclude): piece is TemplateToken {
  return !('include' in piece);
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

/** A tag or a comment. The library treats the two tags of the lookahead as white space. */
const tag = /(?!\{%-?\s*(?:end)?generation\s*-?%\})(?:\{#[^]*?#\}|\{%[^]*?%\}|\{\{[^]*?\}\})/g;

/** Returns the tags of a text with their lines. */
function tagsIn(text: string): readonly { readonly words: string; readonly line: number }[] {
  let line = 1;
  let counted = 0;
  return [...text.matchAll(tag)].map(({ 0: words, index }) => {
    for (; counted < index; counted++) if (text[counted] === '\n') line++;
    return { words, line };
  });
}

/** Parses tokens. @throws {@link PromptTemplateError} that names the line of the wrong tag. */
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

/** Returns the library's error message without its full stop. */
export function messageOf(error: unknown): string {
  if (error instanceof RangeError && /call stack/i.test(error.message)) return 'its parts are nested too deep';
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

/** The place of each statement of a template. A statement is a text, `{{ … }}`, or a tag with its body. */
export type StatementPlaces = ReadonlyMap<JinjaNode, TemplatePlace>;

/** Tags inside a statement that do not begin a new one. */
const within = /^(?:else|end.*)$/;

/**
 * Returns the places of a template's statements. The library's nodes have no places, but each statement begins with one token, in
 * the same order. The result is empty if nodes and tokens do not match; errors then name no line.
 */
export function statementPlaces(program: JinjaNode, tokens: readonly TemplateToken[]): StatementPlaces {
  const beginnings = tokens.filter(({ type }, index) => {
    if (type !== 'OpenStatement') return type === 'Text' || type === 'Comment' || type === 'OpenExpression';
    return !within.test(tokens[index + 1]?.value ?? '');
  });
  const statements = [...statementsIn(program)];
  if (statements.length !== beginnings.length) return new Map();
  return new Map(
    statements.map((statement, index) => {
      const { file = '', line = 1 } = beginnings[index] ?? {};
      return [statement, { file, line }];
    }),
  );
}

function* statementsIn(node: JinjaNode): Generator<JinjaNode> {
  const members = membersOf(node);
  for (const name of ['body', 'alternate', 'defaultBlock']) {
    const block = members[name];
    if (!Array.isArray(block)) continue;
    for (const statement of block.filter(isNode)) {
      yield statement;
      yield* statementsIn(statement);
    }
  }
}
