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

/** What a template can be given. Never code, and never read as a template itself. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** A template that parses, with everything that it includes. */
export interface Template {
  /** What it must be given, or may be. */
  readonly variables: readonly TemplateVariable[];
  /**
   * Pure: the same variables give the same text. Nothing is escaped.
   *
   * @throws {@link PromptTemplateError} when it uses a variable that it is not given, does what Jinja does not allow, or goes
   * beyond a limit.
   */
  render(variables: Readonly<Record<string, TemplateValue>>): string;
}

/** Options of {@link loadTemplate} and {@link parseTemplate}. */
export interface TemplateOptions {
  /**
   * A tag on a line of its own leaves no line behind, and no white space before it (Jinja's `trim_blocks` and `lstrip_blocks`).
   * @defaultValue false, as in Jinja
   */
  readonly trimBlocks?: boolean;
  /** @defaultValue {@link defaultTemplateLimits} */
  readonly limits?: TemplateLimits;
}

/** Options of {@link parseTemplate}. */
export interface ParseOptions extends TemplateOptions {
  /** What errors call it. @defaultValue 'template' */
  readonly name?: string;
  /** What it can include, by name. @defaultValue nothing */
  readonly includes?: Readonly<Record<string, string>>;
}

/**
 * Reads and parses a template. `{% include 'name' %}` is resolved here, once: the included text sees the variables of the place
 * where it stands.
 *
 * @throws {@link PromptTemplateError} when it or something that it includes is missing, does not parse, includes itself, or is
 * larger than the limits allow.
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

/** As {@link loadTemplate}, for a text at hand. @throws {@link PromptTemplateError} as it does. */
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

/** Asks for the text of a template and of everything that it includes, each once. */
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
  // Each must parse by itself, the included ones first: an error names the one that is broken.
  if (parts.size > 1) {
    for (const { file, pieces } of [...parts.values()].reverse()) parseTokens(pieces.filter(isToken), file);
  }
  return parts;
}

/** How deep templates include each other. */
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

/** What is known of a template before it is rendered. @throws {@link PromptTemplateError} when it is nested too deep for that. */
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
    // A variable may have the name of something that Jinja brings.
    environment.variables.delete(key);
    environment.set(key, value);
  }
  return environment;
}
