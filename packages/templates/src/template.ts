import { PromptTemplateError } from './errors.js';
import { Environment, identifierName, Interpreter, isNode, membersOf, testedNode } from './jinja.js';
import type { JinjaEnvironment, JinjaNode, JinjaValue } from './jinja.js';
import { readTemplate } from './source.js';
import type { TemplateSource } from './source.js';
import { isToken, messageOf, parseTokens, statementPlaces, templatePart } from './tokens.js';
import type { StatementPlaces, TemplatePart, TemplatePlace, TemplateToken } from './tokens.js';
import { variablesOf } from './variables.js';
import type { TemplateVariable } from './variables.js';

/** A value for a template's variable. It is never code, and never parsed as a template. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** A parsed template, with its includes. */
export interface Template {
  /** The required and optional variables. */
  readonly variables: readonly TemplateVariable[];
  /**
   * Renders the template. Pure: the same variables give the same text. Nothing is escaped.
   *
   * @throws {@link PromptTemplateError} when a variable is missing, or when the template does what Jinja does not allow.
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
 * @throws {@link PromptTemplateError} when the template or one of its includes is missing, does not parse, or includes itself.
 */
export async function loadTemplate(
  source: TemplateSource,
  name: string,
  options: TemplateOptions = {},
): Promise<Template> {
  const reading = partsOf(name, options);
  let step = reading.next();
  while (step.done !== true) {
    const text = await readTemplate(source, step.value);
    step = reading.next({ text, file: source.locate(step.value) });
  }
  return templateOf(name, step.value);
}

/**
 * Reads a template as {@link loadTemplate} does, from a text in memory. @throws {@link PromptTemplateError} like {@link
 * loadTemplate}.
 */
export function parseTemplate(
  text: string,
  { name = 'template', includes = {}, ...options }: ParseOptions = {},
): Template {
  const texts = new Map(Object.entries({ ...includes, [name]: text }));
  const reading = partsOf(name, options);
  let step = reading.next();
  while (step.done !== true) {
    const file = step.value;
    const part = texts.get(file);
    if (part === undefined) throw new PromptTemplateError(file, 'does not exist. Give it among what can be included.');
    step = reading.next({ text: part, file });
  }
  return templateOf(name, step.value);
}

type Parts = ReadonlyMap<string, TemplatePart>;

/** Requests the text of a template and of each of its includes, each once. */
function* partsOf(
  name: string,
  { trimBlocks = false }: TemplateOptions,
): Generator<string, Parts, { readonly text: string; readonly file: string }> {
  const parts = new Map<string, TemplatePart>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (parts.has(next)) continue;
    const { text, file } = yield next;
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

function templateOf(name: string, parts: Parts): Template {
  const file = parts.get(name)?.file ?? name;
  const tokens = tokensWithIncludes(name, parts);
  const program = parseTokens(tokens, file);
  const places = statementPlaces(program, tokens);
  return {
    variables: variablesOf(program, places),
    render(variables) {
      const environment = environmentOf({ ...constants, range, ...variables });
      const interpreter = new StrictInterpreter(places, environment);
      try {
        return String(interpreter.evaluate(program, environment).value);
      } catch (error) {
        const { place } = interpreter;
        const reason = `cannot be rendered: ${messageOf(error)}.`;
        throw new PromptTemplateError(place?.file ?? file, reason, { cause: error, line: place?.line });
      }
    },
  };
}

/** Returns the tokens of a template, with those of other templates in place of its include tags. */
function tokensWithIncludes(name: string, parts: Parts, within: readonly string[] = []): readonly TemplateToken[] {
  const { file = name, pieces = [] } = parts.get(name) ?? {};
  const path = [...within, name];
  if (within.includes(name)) throw new PromptTemplateError(file, `includes itself: ${path.join(' → ')}.`);
  return pieces.flatMap((piece) => (isToken(piece) ? [piece] : tokensWithIncludes(piece.include, parts, path)));
}

const constants = { true: true, false: false, none: null, True: true, False: false, None: null };

/** Jinja's `range`. */
function range(start: unknown, stop?: unknown, step: unknown = 1): readonly number[] {
  const [first, last] = stop === undefined ? [0, start] : [start, stop];
  if (![first, last, step].every(Number.isSafeInteger) || step === 0) {
    throw new Error('range() takes whole numbers, and a step that is not 0');
  }
  const [from, to, by] = [Number(first), Number(last), Number(step)];
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / by)) }, (_, index) => from + index * by);
}

function environmentOf(variables: Readonly<Record<string, unknown>>): JinjaEnvironment {
  const environment = new Environment();
  for (const [key, value] of Object.entries(variables)) {
    // A variable may have the name of a Jinja global.
    environment.variables.delete(key);
    environment.set(key, value);
  }
  return environment;
}

/**
 * The library's interpreter with Jinja's StrictUndefined: reading a variable that is not given is an error, and testing whether it
 * is given is not.
 */
class StrictInterpreter extends Interpreter {
  readonly #places: StatementPlaces;
  readonly #mayBeUndefined = new WeakSet<JinjaNode>();
  #place: TemplatePlace | undefined;

  constructor(places: StatementPlaces, environment: JinjaEnvironment) {
    super(environment);
    this.#places = places;
  }

  /** The place of the statement that is being evaluated, or at which the rendering stopped. */
  get place(): TemplatePlace | undefined {
    return this.#place;
  }

  override evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue {
    if (!isNode(node)) return super.evaluate(node, environment);
    const outer = this.#place;
    this.#place = this.#places.get(node) ?? outer;
    const tested = testedNode(node);
    if (tested !== undefined) this.#mayBeUndefined.add(tested);
    const value = super.evaluate(node, environment);
    if (value.type === 'UndefinedValue' && !this.#mayBeUndefined.has(node)) refuseUndefined(node);
    // If the statement throws, its place is kept.
    this.#place = outer;
    return value;
  }

  /** As in Jinja, `map.items` is the method, even if the map has a key `items`: the name of a host or a secret can be `items`. */
  override evaluateMemberExpression(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const { object, property, computed } = membersOf(node);
    const name = identifierName(property);
    if (computed === true || name === undefined || !mapMethods.has(name) || !isNode(object)) {
      return super.evaluateMemberExpression(node, environment);
    }
    const owner = this.evaluate(object, environment);
    const method = owner.type === 'ObjectValue' ? owner.builtins.get(name) : undefined;
    return method ?? super.evaluateMemberExpression(node, environment);
  }
}

const mapMethods: ReadonlySet<string> = new Set(['items', 'keys', 'values', 'get']);

/** @throws Error that names the variable. */
function refuseUndefined(node: JinjaNode): void {
  const name = nameOf(node);
  if (name === undefined) return;
  throw new Error(
    `'${name}' is not defined; give it a value, or write "${name} is defined" or "${name} | default('')"`,
  );
}

function nameOf(node: unknown): string | undefined {
  const name = identifierName(node);
  if (name !== undefined || !isNode(node) || node.type !== 'MemberExpression') return name;
  const { object, property, computed } = membersOf(node);
  const [owner, member] = [nameOf(object) ?? '…', nameOf(property) ?? '…'];
  return computed === true ? `${owner}[${member}]` : `${owner}.${member}`;
}
