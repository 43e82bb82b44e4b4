import { PromptTemplateError } from './errors.js';
import { Environment, Interpreter } from './jinja.js';
import type { JinjaEnvironment, JinjaNode, JinjaValue } from './jinja.js';
import { parseTokens, placeOf, templateTokens } from './template-tokens.js';
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
  const tokens = await templateTokens(source, name);
  const file = source.locate(name);
  const program = parseTokens(tokens, file);
  return {
    render(variables) {
      const environment = new Environment();
      for (const [key, value] of Object.entries({ ...constants, ...variables })) environment.set(key, value);
      try {
        return String(new StrictInterpreter(environment).run(program).value);
      } catch (error) {
        const place = error instanceof UndefinedVariableError ? placeOf(error.variable, tokens) : undefined;
        const reason = error instanceof Error ? error.message : String(error);
        throw new PromptTemplateError(place?.file ?? file, `cannot be rendered: ${reason}.`, {
          cause: error,
          line: place?.line,
        });
      }
    },
  };
}

const constants = { true: true, false: false, none: null, True: true, False: false, None: null };

/** Jinja's StrictUndefined: using what was not given is an error, asking whether it was given is not. */
class StrictInterpreter extends Interpreter {
  readonly #mayBeUndefined = new WeakSet<JinjaNode>();

  override evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue {
    if (node !== undefined && asksWhetherDefined(node)) this.#mayBeUndefined.add(node.operand);
    const method = this.#methodOf(node, environment);
    if (method !== undefined) return method;
    const value = super.evaluate(node, environment);
    if (node === undefined || value.type !== 'UndefinedValue' || this.#mayBeUndefined.has(node)) return value;
    const used = nameOf(node);
    if (used === undefined) return value;
    throw new UndefinedVariableError(used);
  }

  /** As in Jinja, `map.items` is the method, also where the map has a key of that name: a host or a secret may be called so. */
  #methodOf(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue | undefined {
    if (node?.type !== 'MemberExpression') return undefined;
    const { object, property, computed } = node as Member;
    const name = String((property as Named).value);
    if (computed || !mapMethods.has(name)) return undefined;
    const value = this.evaluate(object, environment);
    return value.type === 'ObjectValue' ? value.builtins.get(name) : undefined;
  }
}

const mapMethods: ReadonlySet<string> = new Set(['items', 'keys', 'values', 'get']);

interface Member extends JinjaNode {
  readonly object: JinjaNode;
  readonly property: JinjaNode;
  readonly computed: boolean;
}

class UndefinedVariableError extends Error {
  constructor(readonly variable: string) {
    super(
      `'${variable}' is not defined; give it a value, or write "${variable} is defined" or "${variable} | default('')"`,
    );
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
  const { object, property, computed } = node as Member;
  return `${nameOf(object) ?? '…'}${computed ? `[${nameOf(property) ?? '…'}]` : `.${nameOf(property) ?? '…'}`}`;
}
