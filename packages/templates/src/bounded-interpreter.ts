import { askedAbout, filterName, identifierName, Interpreter, isNode, membersOf } from './jinja.js';
import type { JinjaEnvironment, JinjaNode, JinjaValue } from './jinja.js';
import { costOfCall, costOfFilter, costOfOperator, spendWhole } from './operation-cost.js';
import type { StatementPlaces } from './statement-places.js';
import type { RenderingBudget } from './template-limits.js';
import { TemplateLimitError } from './template-limits.js';
import type { TemplatePlace } from './template-part.js';
import { charactersIn, itemsIn } from './value-size.js';

/** The nesting limit of a template's nodes. Calls of macros count. Unit: levels. */
const deepestPart = 500;
/** The library's own work for each item of a loop. Unit: steps. */
const stepsOfLoop = 4;

/**
 * The library's interpreter with two additions.
 *
 * - Jinja's StrictUndefined: reading a variable that is not given is an error; testing whether it is given is not.
 * - A budget: the cost of each part of the template is spent before the part is evaluated, so every rendering ends.
 */
export class BoundedInterpreter extends Interpreter {
  readonly #places: StatementPlaces;
  readonly #budget: RenderingBudget;
  readonly #mayBeUndefined = new WeakSet<JinjaNode>();
  /** Nodes whose value is iterated over, with the steps that one item costs. */
  readonly #walked = new WeakMap<JinjaNode, number>();
  /** The next call, with its arguments. */
  #call: { readonly callee: JinjaNode; readonly values: readonly JinjaValue[] } | undefined;
  /** The owner of the member that was looked up last. */
  #owner: JinjaValue | undefined;
  #place: TemplatePlace | undefined;
  #depth = 0;

  constructor(places: StatementPlaces, budget: RenderingBudget) {
    super({ variables: new Map(), set: () => undefined });
    this.#places = places;
    this.#budget = budget;
  }

  /** The place of the statement that is being evaluated, or at which the rendering stopped. */
  get place(): TemplatePlace | undefined {
    return this.#place;
  }

  /** Jinja's `range`. */
  readonly range = (start: unknown, stop?: unknown, step: unknown = 1): readonly number[] => {
    const [first, last] = stop === undefined ? [0, start] : [start, stop];
    if (![first, last, step].every(Number.isSafeInteger) || step === 0) {
      throw new Error('range() takes whole numbers, and a step that is not 0');
    }
    const [from, to, by] = [Number(first), Number(last), Number(step)];
    const length = Math.max(0, Math.ceil((to - from) / by));
    this.#budget.spend(length);
    return Array.from({ length }, (_, index) => from + index * by);
  };

  /** The rendered text. */
  text(program: JinjaNode, environment: JinjaEnvironment): string {
    return String(this.evaluate(program, environment).value);
  }

  override evaluate(node: JinjaNode | undefined, environment: JinjaEnvironment): JinjaValue {
    if (node === undefined || node === null) return super.evaluate(undefined, environment);
    if (node instanceof ValueNode) {
      this.#budget.spend((this.#walked.get(node) ?? 0) * itemsIn(node.value));
      return node.value;
    }
    if (++this.#depth > deepestPart) {
      throw new TemplateLimitError(`its parts stand in each other more than ${deepestPart} deep`);
    }
    this.#budget.spend(1);
    this.#prepare(node);
    try {
      const value = this.#evaluated(node, environment);
      this.#budget.spend((this.#walked.get(node) ?? 0) * itemsIn(value));
      if (value.type === 'UndefinedValue' && !this.#mayBeUndefined.has(node)) refuseUndefined(node);
      return value;
    } finally {
      this.#depth--;
    }
  }

  #evaluated(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const call = this.#call?.callee === node ? this.#call : undefined;
    if (call !== undefined) this.#call = undefined;
    const value = super.evaluate(node, environment);
    if (call === undefined) return value;
    const owner = node.type === 'MemberExpression' ? this.#owner : undefined;
    costOfCall(owner, memberName(node), call.values, this.#budget);
    return value;
  }

  #prepare(node: JinjaNode): void {
    const asked = askedAbout(node);
    if (asked !== undefined) this.#mayBeUndefined.add(asked);
    const { iterable, test, operand } = membersOf(node);
    if (node.type === 'For' && isNode(iterable)) {
      this.#walk(iterable.type === 'SelectExpression' ? membersOf(iterable)['lhs'] : iterable, stepsOfLoop);
    }
    if (node.type === 'TestExpression' && ['lower', 'upper'].includes(identifierName(test) ?? '')) this.#walk(operand);
    // The library searches the body of a macro each time the macro is defined.
    if (node.type === 'Macro' || node.type === 'CallStatement') this.#budget.spend(nodesIn(node));
  }

  #walk(node: unknown, steps = 1): void {
    if (isNode(node)) this.#walked.set(node, steps);
  }

  override evaluateBlock(statements: readonly JinjaNode[], environment: JinjaEnvironment): JinjaValue {
    const outer = this.#place;
    const values: JinjaNode[] = [];
    let characters = 0;
    for (const statement of statements) {
      this.#place = this.#places.get(statement) ?? outer;
      const value = this.evaluate(statement, environment);
      const length = spendWhole(value, this.#budget);
      characters += length;
      this.#budget.read(length);
      this.#budget.allow(characters);
      values.push(new ValueNode(value));
    }
    // If a statement throws, its place is kept.
    this.#place = outer;
    return super.evaluateBlock(values, environment);
  }

  override evaluateIdentifier(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const name = identifierName(node) ?? '';
    for (let scope: JinjaEnvironment | undefined = environment; scope !== undefined; scope = scope.parent) {
      const value = scope.variables.get(name);
      if (value !== undefined) return value;
    }
    return super.evaluate(undefined, environment);
  }

  /** As in Jinja, `map.items` is the method, even if the map has a key `items`: the name of a host or a secret can be `items`. */
  override evaluateMemberExpression(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const { object, computed } = membersOf(node);
    const owner = this.evaluate(isNode(object) ? object : undefined, environment);
    const method = computed === true || owner.type !== 'ObjectValue' ? undefined : mapMethods.get(memberName(node));
    const value =
      (method === true ? owner.builtins.get(memberName(node)) : undefined) ??
      super.evaluateMemberExpression({ ...node, object: new ValueNode(owner) } as JinjaNode, environment);
    this.#owner = owner;
    return value;
  }

  override evaluateSliceExpression(of: JinjaValue, slice: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    this.#budget.spend(itemsIn(of));
    return super.evaluateSliceExpression(of, slice, environment);
  }

  override evaluateBinaryExpression(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const { operator, left, right } = membersOf(node);
    const { value: name } = operator as { readonly value: string };
    if (name === 'and' || name === 'or') return super.evaluateBinaryExpression(node, environment);
    const [first, second] = [left, right].map((side) => this.evaluate(isNode(side) ? side : undefined, environment));
    if (first === undefined || second === undefined) return super.evaluateBinaryExpression(node, environment);
    costOfOperator(name, first, second, this.#budget);
    const sides = { left: new ValueNode(first), right: new ValueNode(second) };
    return super.evaluateBinaryExpression({ ...node, ...sides }, environment);
  }

  override evaluateCallExpression(node: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const { callee } = membersOf(node);
    const { nodes, values } = this.#argumentsOf(node, environment);
    if (isNode(callee)) this.#call = { callee, values };
    return super.evaluateCallExpression({ ...node, args: nodes } as JinjaNode, environment);
  }

  override evaluateArguments(
    nodes: readonly JinjaNode[],
    environment: JinjaEnvironment,
  ): readonly [readonly JinjaValue[], ReadonlyMap<string, JinjaValue>] {
    for (const node of nodes) if (/Spread/.test(node.type)) this.#walk(membersOf(node)['argument']);
    return super.evaluateArguments(nodes, environment);
  }

  override applyFilter(operand: JinjaValue, filter: JinjaNode, environment: JinjaEnvironment): JinjaValue {
    const hasArguments = filter.type === 'CallExpression';
    const { nodes, values } = hasArguments ? this.#argumentsOf(filter, environment) : { nodes: [], values: [] };
    costOfFilter(filterName(filter) ?? '', operand, values, this.#budget);
    const known = hasArguments ? ({ ...filter, args: nodes } as JinjaNode) : filter;
    const value = super.applyFilter(operand, known, environment);
    this.#budget.write(charactersIn(value));
    return value;
  }

  /** Evaluates each argument of a call once and returns the call's nodes with these values in them. */
  #argumentsOf(
    call: JinjaNode,
    environment: JinjaEnvironment,
  ): { readonly nodes: readonly JinjaNode[]; readonly values: readonly JinjaValue[] } {
    const values: JinjaValue[] = [];
    const valueNode = (node: unknown): unknown => {
      // Some filters check whether an argument node is a string literal.
      if (!isNode(node) || node.type === 'StringLiteral') {
        if (isNode(node)) values.push(this.evaluate(node, environment));
        return node;
      }
      const value = this.evaluate(node, environment);
      values.push(value);
      return new ValueNode(value);
    };
    const nodes = ((membersOf(call)['args'] ?? []) as readonly JinjaNode[]).map((node) => {
      const { value, argument } = membersOf(node);
      if (node.type === 'KeywordArgumentExpression') return { ...node, value: valueNode(value) } as JinjaNode;
      if (/Spread/.test(node.type)) return { ...node, argument: valueNode(argument) } as JinjaNode;
      return valueNode(node) as JinjaNode;
    });
    return { nodes, values };
  }
}

/** A node that holds the value of an evaluated expression. */
class ValueNode implements JinjaNode {
  readonly type = 'Value';

  constructor(readonly value: JinjaValue) {}
}

const mapMethods: ReadonlyMap<string, true> = new Map(['items', 'keys', 'values', 'get'].map((name) => [name, true]));

/** The name after the dot, or the text in the brackets. */
function memberName(node: JinjaNode): string {
  const { property } = membersOf(node);
  return isNode(property) ? String(membersOf(property)['value']) : '';
}

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

const countedNodes = new WeakMap<JinjaNode, number>();

/** The number of nodes inside a node. */
function nodesIn(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, item) => sum + nodesIn(item), 0);
  if (!isNode(node)) return 0;
  const counted = countedNodes.get(node);
  if (counted !== undefined) return counted;
  const count = 1 + nodesIn(Object.values(node));
  countedNodes.set(node, count);
  return count;
}
