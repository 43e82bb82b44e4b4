import { identifierName, Interpreter, isNode, membersOf, testedNode } from './jinja.js';
import type { JinjaEnvironment, JinjaNode, JinjaValue } from './jinja.js';
import type { StatementPlaces, TemplatePlace } from './tokens.js';

/**
 * The library's interpreter with Jinja's StrictUndefined: reading a variable that is not given is an error, and testing whether it
 * is given is not.
 */
export class StrictInterpreter extends Interpreter {
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
