import { PromptTemplateError } from './errors.js';
import { Environment, Interpreter, parse, tokenize } from './jinja.js';
import type { JinjaEnvironment, JinjaNode, JinjaToken, JinjaValue } from './jinja.js';
import { readTemplate } from './template-source.js';
import type { TemplateSource } from './template-source.js';

/** What a template can be given. Never code, and never read as a template itself. */
export type TemplateValue =
  string | number | boolean | null | readonly TemplateValue[] | { readonly [key: string]: TemplateValue };

/** A template that parses, with everything that it includes. */
export interface Template {
  /** @throws {@link PromptTemplateError} when it uses a variable that it is not given. */
  render(variables: Readonly<Record<string, TemplateValue>>): string;
}

/**
 * Reads and parses a template. `{% include 'name' %}` is resolved here, once: the included text sees the variables of the
 * place where it stands.
 *
 * @throws {@link PromptTemplateError} when it or something that it includes is missing, does not parse, or includes itself.
 */
export async function loadTemplate(source: TemplateSource, name: string): Promise<Template> {
  const file = source.locate(name);
  const tokens = await tokensOf(source, name, []);
  const program = attempt(source.locate(name), 'does not parse', () => parse(tokens));
  return {
    render: (variables) =>
      attempt(file, 'cannot be rendered', () => {
        const environment = new Environment();
        for (const [key, value] of Object.entries({ ...constants, ...variables })) environment.set(key, value);
        return String(new StrictInterpreter(environment).run(program).value);
      }),
  };
}

const constants = { true: true, false: false, none: null, True: true, False: false, None: null };

/** The library has no `include`, so the included tokens are put in the place of the tag. */
async function tokensOf(
  source: TemplateSource,
  name: string,
  within: readonly string[],
): Promise<readonly JinjaToken[]> {
  const text = await readTemplate(source, name);
  const file = source.locate(name);
  if (within.includes(name)) {
    throw new PromptTemplateError(file, `includes itself: ${[...within, name].join(' → ')}.`);
  }
  const tokens = attempt(file, 'does not parse', () => tokenize(text));
  const result: JinjaToken[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as JinjaToken;
    const [keyword, target, end] = tokens.slice(index + 1, index + 4);
    if (token.type !== 'OpenStatement' || keyword?.type !== 'Identifier' || keyword.value !== 'include') {
      result.push(token);
      continue;
    }
    if (target?.type !== 'StringLiteral' || end?.type !== 'CloseStatement') {
      throw new PromptTemplateError(
        file,
        "does not parse: an include is written {% include 'name' %}, with nothing else.",
      );
    }
    result.push(...(await tokensOf(source, target.value, [...within, name])));
    index += 3;
  }
  // A broken part is named itself, and not only the file that includes it.
  attempt(file, 'does not parse', () => parse([...result]));
  return result;
}

/** Jinja's StrictUndefined: using what was not given is an error, asking whether it was given is not. */
class StrictInterpreter extends Interpreter {
  readonly #mayBeUndefined = new WeakSet<JinjaNode>();

  override evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue {
    if (node !== undefined && asksWhetherDefined(node)) this.#mayBeUndefined.add(node.operand);
    const value = super.evaluate(node, environment);
    if (node === undefined || value.type !== 'UndefinedValue' || this.#mayBeUndefined.has(node)) return value;
    const used = nameOf(node);
    if (used === undefined) return value;
    throw new UndefinedVariableError(used);
  }
}

class UndefinedVariableError extends Error {
  constructor(name: string) {
    super(`'${name}' is not defined; give it a value, or write "${name} is defined" or "${name} | default('')"`);
  }
}

interface Asking extends JinjaNode {
  readonly operand: JinjaNode;
}

function asksWhetherDefined(node: JinjaNode): node is Asking {
  const { type, test, filter } = node as { type: string; test?: Named; filter?: Named & { readonly callee?: Named } };
  if (type === 'TestExpression') return test?.value === 'defined' || test?.value === 'undefined';
  return type === 'FilterExpression' && (filter?.callee ?? filter)?.value === 'default';
}

interface Named {
  readonly value?: unknown;
}

function nameOf(node: JinjaNode): string | undefined {
  if (node.type === 'Identifier') return String((node as Named).value);
  if (node.type !== 'MemberExpression') return undefined;
  const { object, property, computed } = node as unknown as {
    object: JinjaNode;
    property: JinjaNode;
    computed: boolean;
  };
  return `${nameOf(object) ?? '…'}${computed ? `[${nameOf(property) ?? '…'}]` : `.${nameOf(property) ?? '…'}`}`;
}

function attempt<T>(file: string, what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (PromptTemplateError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PromptTemplateError(file, `${what}: ${reason}.`, { cause: error });
  }
}
