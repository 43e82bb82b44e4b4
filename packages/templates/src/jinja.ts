import * as library from '@huggingface/jinja';

/** A piece of a template's text. */
export interface JinjaToken {
  readonly type: string;
  readonly value: string;
}

/** A node of a parsed template. Its other members depend on its type. */
export interface JinjaNode {
  readonly type: string;
}

/** A value while a template runs. */
export interface JinjaValue {
  readonly type: string;
  readonly value: unknown;
  /** Methods and the like. */
  readonly builtins: ReadonlyMap<string, JinjaValue>;
}

/** The variables in scope. */
export interface JinjaEnvironment {
  readonly variables: Map<string, JinjaValue>;
  set(name: string, value: unknown): unknown;
}

/** Evaluates nodes. Each method calls the others through `this`, so a subclass can intercept every call. */
interface JinjaInterpreter {
  evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue;
  evaluateMemberExpression(node: JinjaNode, environment: JinjaEnvironment): JinjaValue;
}

interface Jinja {
  tokenize(
    text: string,
    options?: { readonly lstrip_blocks: boolean; readonly trim_blocks: boolean },
  ): readonly JinjaToken[];
  parse(tokens: readonly JinjaToken[]): JinjaNode;
  readonly Environment: new () => JinjaEnvironment;
  readonly Interpreter: new (environment: JinjaEnvironment) => JinjaInterpreter;
}

/**
 * The parts of the library that this package uses. Its own declarations import files without an extension, which Node's module
 * resolution does not find, so the types are declared here.
 */
export const { tokenize, parse, Environment, Interpreter } = library as unknown as Jinja;

/** Returns the members of a node by name. */
export function membersOf(node: JinjaNode): Readonly<Record<string, unknown>> {
  return node as unknown as Readonly<Record<string, unknown>>;
}

/** Returns true for a node of a parsed template; false for a list, a text or a token's place. */
export function isNode(value: unknown): value is JinjaNode {
  return typeof value === 'object' && value !== null && typeof (value as Partial<JinjaNode>).type === 'string';
}

/** Returns the name in an identifier node. */
export function identifierName(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'Identifier') return undefined;
  const { value } = membersOf(node);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the node that `x is defined`, `x is undefined` or `x | default(…)` tests. Undefined for any other node. */
export function testedNode(node: JinjaNode): JinjaNode | undefined {
  const { operand, test, filter } = membersOf(node);
  const tests =
    node.type === 'TestExpression'
      ? ['defined', 'undefined'].includes(identifierName(test) ?? '')
      : node.type === 'FilterExpression' && filterName(filter) === 'default';
  return tests && isNode(operand) ? operand : undefined;
}

/** Returns the name of a filter, with or without arguments. */
function filterName(filter: unknown): string | undefined {
  if (!isNode(filter)) return undefined;
  return identifierName(filter.type === 'CallExpression' ? membersOf(filter)['callee'] : filter);
}
