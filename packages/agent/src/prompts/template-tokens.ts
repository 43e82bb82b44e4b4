import { PromptTemplateError } from './errors.js';
import { parse, tokenize } from './jinja.js';
import type { JinjaNode, JinjaToken } from './jinja.js';
import { readTemplate } from './template-source.js';
import type { TemplateSource } from './template-source.js';

/** A token with the place that it was written in. */
export interface TemplateToken extends JinjaToken {
  readonly file: string;
  /** On which its tag begins. The first is 1. */
  readonly line: number;
}

/**
 * The tokens of a template and of everything that it includes. The library has no `include`, so the included tokens are put
 * in the place of the tag.
 *
 * @throws {@link PromptTemplateError} when a part is missing, does not parse by itself, or includes itself.
 */
export async function templateTokens(
  source: TemplateSource,
  name: string,
  within: readonly string[] = [],
): Promise<readonly TemplateToken[]> {
  const text = await readTemplate(source, name);
  const file = source.locate(name);
  if (within.includes(name)) {
    throw new PromptTemplateError(file, `includes itself: ${[...within, name].join(' → ')}.`);
  }
  const tokens = tokensOf(text, file);
  const result: TemplateToken[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as TemplateToken;
    const [keyword, target, end] = tokens.slice(index + 1, index + 4);
    if (token.type !== 'OpenStatement' || keyword?.type !== 'Identifier' || keyword.value !== 'include') {
      result.push(token);
      continue;
    }
    if (target?.type !== 'StringLiteral' || end?.type !== 'CloseStatement') {
      const reason = "does not parse: an include is written {% include 'name' %}, with nothing else.";
      throw new PromptTemplateError(file, reason, { line: token.line });
    }
    result.push(...(await templateTokens(source, target.value, [...within, name])));
    index += 3;
  }
  // A broken part is named itself, and not only the file that includes it.
  parseTokens(result, file);
  return result;
}

/** @throws {@link PromptTemplateError} that names the line of the tag at which it went wrong. */
export function parseTokens(tokens: readonly TemplateToken[], file: string): JinjaNode {
  // The library's errors name no place, but it reads the tokens one by one: the farthest is where it stopped.
  let farthest = 0;
  const watched = new Proxy([...tokens], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) farthest = Math.max(farthest, Number(key));
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  try {
    return parse(watched);
  } catch (error) {
    const at = tokens[farthest];
    const reason =
      at === undefined ? 'it ends inside of a block; close it with {% endif %}, {% endfor %} …' : messageOf(error);
    throw new PromptTemplateError(at?.file ?? file, `does not parse: ${reason}.`, { cause: error, line: at?.line });
  }
}

/** The first place where a name is used: `user`, `user.name`. */
export function placeOf(name: string, tokens: readonly TemplateToken[]): TemplateToken | undefined {
  const [path = ''] = name.split('[', 1);
  const isAt = (index: number) =>
    path.split('.').every((part, step) => {
      const token = tokens[index + 2 * step];
      return token?.type === 'Identifier' && token.value === part;
    });
  return tokens.find((_, index) => tokens[index - 1]?.type !== 'Dot' && isAt(index));
}

const tag = /\{#[\s\S]*?#\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}/g;
const opening: ReadonlySet<string> = new Set(['OpenStatement', 'OpenExpression', 'Comment']);

function tokensOf(text: string, file: string): readonly TemplateToken[] {
  const tags = [...text.matchAll(tag)].map(({ 0: words, index }) => ({
    words,
    line: text.slice(0, index).split('\n').length,
  }));
  let seen = 0;
  try {
    return tokenize(text).map((token) => {
      if (opening.has(token.type)) seen++;
      return { type: token.type, value: token.value, file, line: tags[Math.max(0, seen - 1)]?.line ?? 1 };
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

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
