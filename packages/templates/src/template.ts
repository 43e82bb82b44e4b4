import { Environment } from './jinja.js';
import type { JinjaEnvironment, JinjaNode } from './jinja.js';
import { BoundedInterpreter } from './bounded-interpreter.js';
import { statementPlaces } from './statement-places.js';
import type { StatementPlaces } from './statement-places.js';
import { PromptTemplateError } from './template-error.js';
import { checkedLimits, RenderingBudget, TemplateLimitError } from './template-limits.js';
import type { TemplateLimits } from './template-limits.js';
import { isToken, messageOf, parseTokens, templatePart } from './template-part.js';
import type { TemplatePart, TemplateToken } from './template-part.js';
import { readTemplate } from './template-source.js';
import type { TemplateSource } from './template-source.js';
import { variablesOf } from './template-variables.js';
import type { TemplateVariable } from './template-variables.js';

/** A value for a template's variable. It is never code, and never parsed as a template. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** A parsed template, with its includes. */
export interface Template {
  /** The required and optional variables. */
  readonly variables: readonly TemplateVariable[];
  /**
   * Pure: the same variables give the same text. Nothing is escaped.
   *
   * @throws {@link PromptTemplateError} when a variable is missing, when the template does what Jinja does not allow, or when it
   *   exceeds a limit.
   */
  render(variables: Readonly<Record<string, TemplateValue>>): string;
}

/** Options of {@link loadTemplate} and {@link parseTemplate}. */
export interface TemplateOptions {
  /**
   * A tag on a line of its own renders no line and no white space before it (Jinja's `trim_blocks` and `lstrip_blocks`).
   * @defaultValue false, as in Jinja
   */
  readonly trimBlocks?: boolean;
  /** @defaultValue {@link defaultTemplateLimits} */
  readonly limits?: TemplateLimits;
}

/** Options of {@link parseTemplate}. */
export interface ParseOptions extends TemplateOptions {
  /** The template's name in errors. @defaultValue 'template' */
  readonly name?: string;
  /** The templates that it can include, by name. @defaultValue nothing */
  readonly includes?: Readonly<Record<string, string>>;
}

/**
 * Reads and parses a template. `{% include 'name' %}` is resolved here, once. The included text has access to the variables that
 * are in scope at the include tag.
 *
 * @throws {@link PromptTemplateError} when the template or one of its includes is missing, does not parse, includes itself, or
 *   exceeds the size limits.
 */
export async function loadTemplate(
  source: TemplateSource,
  name: string,
  options: TemplateOptions = {},
): Promise<Template> {
  const reading = partsOf(name, options, source.locate(name));
  let step = reading.next();
  while (step.done !== true) {
    const text = await readTemplate(source, step.value);
    step = reading.next({ text, file: source.locate(step.value) });
  }
  return templateOf(name, step.value, options);
}

/** Like {@link loadTemplate}, for a text in memory. @throws {@link PromptTemplateError} like {@link loadTemplate}. */
export function parseTemplate(
  text: string,
  { name = 'template', includes = {}, ...options }: ParseOptions = {},
): Template {
  const texts = new Map(Object.entries({ ...includes, [name]: text }));
  const reading = partsOf(name, options, name);
  let step = reading.next();
  while (step.done !== true) {
    const file = step.value;
    const part = texts.get(file);
    if (part === undefined) throw new PromptTemplateError(file, 'does not exist. Give it among what can be included.');
    step = reading.next({ text: part, file });
  }
  return templateOf(name, step.value, options);
}

type Parts = ReadonlyMap<string, TemplatePart>;

/** Requests the text of a template and of each of its includes, each once. */
function* partsOf(
  name: string,
  { trimBlocks = false, limits }: TemplateOptions,
  place: string,
): Generator<string, Parts, { readonly text: string; readonly file: string }> {
  const { maxTemplateCharacters } = checkedLimits(limits, place);
  const parts = new Map<string, TemplatePart>();
  const open = [name];
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (parts.has(next)) continue;
    const { text, file } = yield next;
    characters += text.length;
    if (characters > maxTemplateCharacters) throw tooLarge(place, maxTemplateCharacters);
    const part = templatePart(text, file, trimBlocks);
    parts.set(next, part);
    open.push(...part.pieces.flatMap((piece) => (isToken(piece) ? [] : [piece.include])));
  }
  // Each text must parse by itself. Included texts are parsed first, so that the error names the broken one.
  if (parts.size > 1) {
    for (const { file, pieces } of [...parts.values()].reverse()) parseTokens(pieces.filter(isToken), file);
  }
  return parts;
}

/** The nesting limit of includes. Unit: levels. */
const deepestInclude = 50;

function templateOf(name: string, parts: Parts, options: TemplateOptions): Template {
  const file = parts.get(name)?.file ?? name;
  const limits = checkedLimits(options.limits, file);
  const tokens: TemplateToken[] = [];
  let characters = 0;
  const append = (included: string, within: readonly string[]): void => {
    const part = parts.get(included);
    if (part === undefined) return;
    const path = [...within, included];
    if (within.includes(included)) {
      throw new PromptTemplateError(part.file, `includes itself: ${path.join(' → ')}.`);
    }
    if (path.length > deepestInclude) {
      throw new PromptTemplateError(
        part.file,
        `is included through more than ${deepestInclude} others; include it directly.`,
      );
    }
    characters += part.characters;
    if (characters > limits.maxTemplateCharacters) throw tooLarge(file, limits.maxTemplateCharacters);
    for (const piece of part.pieces) {
      if (isToken(piece)) tokens.push(piece);
      else append(piece.include, path);
    }
  };
  append(name, []);
  const program = parseTokens(tokens, file);
  const { places, variables: used } = known(program, tokens, file);
  return {
    variables: used,
    render(variables) {
      const interpreter = new BoundedInterpreter(places, new RenderingBudget(limits));
      try {
        return interpreter.text(program, environmentOf({ ...constants, range: interpreter.range, ...variables }));
      } catch (error) {
        const { place } = interpreter;
        throw new PromptTemplateError(place?.file ?? file, `cannot be rendered: ${messageOf(error)}.`, {
          cause: error instanceof TemplateLimitError ? undefined : error,
          line: place?.line,
        });
      }
    },
  };
}

/** Analyses a template before it is rendered. @throws {@link PromptTemplateError} when it is nested too deep. */
function known(
  program: JinjaNode,
  tokens: readonly TemplateToken[],
  file: string,
): { readonly places: StatementPlaces; readonly variables: readonly TemplateVariable[] } {
  try {
    const places = statementPlaces(program, tokens);
    return { places, variables: variablesOf(program, places) };
  } catch (error) {
    throw new PromptTemplateError(file, `does not parse: ${messageOf(error)}.`, { cause: error });
  }
}

function tooLarge(file: string, characters: number): PromptTemplateError {
  const reason = `has more than ${characters} characters with what it includes; shorten it, or raise the limit 'maxTemplateCharacters'.`;
  return new PromptTemplateError(file, reason);
}

const constants = { true: true, false: false, none: null, True: true, False: false, None: null };

function environmentOf(variables: Readonly<Record<string, unknown>>): JinjaEnvironment {
  const environment = new Environment();
  for (const [key, value] of Object.entries(variables)) {
    // A variable may have the name of a Jinja global.
    environment.variables.delete(key);
    environment.set(key, value);
  }
  return environment;
}
