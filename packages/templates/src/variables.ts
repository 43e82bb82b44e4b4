import { identifierName, isNode, membersOf, testedNode } from './jinja.js';
import type { JinjaNode } from './jinja.js';
import type { StatementPlaces } from './tokens.js';

/** A variable that a template uses and does not set itself. */
export interface TemplateVariable {
  /** The name. `[].` marks a member of each item of a list that the template loops over: `events[].text`. */
  readonly path: string;
  /** The variable as the template writes it: `event.text`. */
  readonly written: string;
  /** The template only tests the variable, with `is defined` or `default`, so it is optional. */
  readonly isOptional: boolean;
  readonly file: string | undefined;
  /** The line of the first tag that uses the variable, from 1. */
  readonly line: number | undefined;
}

const builtIn = ['true', 'false', 'none', 'True', 'False', 'None', 'range', 'namespace', 'loop', 'caller'];

/** Returns the variables of a parsed template, each once. A mistyped name is found before rendering. */
export function variablesOf(program: JinjaNode, places: StatementPlaces): readonly TemplateVariable[] {
  const own = new Set([...builtIn, 'varargs', 'kwargs']);
  const lists = new Map<string, string>();
  const found = new Map<string, TemplateVariable>();
  const uses: { readonly node: JinjaNode; readonly isOptional: boolean; readonly at: JinjaNode | undefined }[] = [];
  const visit = (node: unknown, isOptional: boolean, at: JinjaNode | undefined): void => {
    if (Array.isArray(node) || node instanceof Map) {
      for (const item of node instanceof Map ? [...node].flat() : node) visit(item, isOptional, at);
      return;
    }
    if (!isNode(node)) return;
    const statement = places.has(node) ? node : at;
    for (const name of namesSetBy(node)) own.add(name);
    const members = membersOf(node);
    if (node.type === 'For') {
      const item = identifierName(members['loopvar']);
      const list = identifierName(members['iterable']);
      if (item !== undefined && list !== undefined) lists.set(item, list);
    }
    if (node.type === 'Identifier' || node.type === 'MemberExpression') uses.push({ node, isOptional, at: statement });
    const tested = testedNode(node);
    for (const [name, member] of Object.entries(members)) {
      const isMember = node.type === 'MemberExpression' && name === 'property' && members['computed'] !== true;
      if (isMember || notVariables[node.type] === name) continue;
      // A filter's name is not a variable; its arguments are expressions.
      const expression = name === 'filter' && isNode(member) ? membersOf(member)['args'] : member;
      visit(expression, member === tested, statement);
    }
  };
  visit(program, false, undefined);
  for (const { node, isOptional, at } of uses) {
    const { object, property, computed } = membersOf(node);
    const [base, member] = [identifierName(node) ?? identifierName(object) ?? '', identifierName(property)];
    const list = lists.get(base);
    const isMemberOfItem = node.type === 'MemberExpression' && computed !== true && list !== undefined;
    if (node.type === 'MemberExpression' ? !isMemberOfItem : own.has(base)) continue;
    const path = isMemberOfItem ? `${list}[].${member ?? ''}` : base;
    const before = found.get(path);
    if (before !== undefined && (!before.isOptional || isOptional)) continue;
    const place = at === undefined ? undefined : places.get(at);
    const written = isMemberOfItem ? `${base}.${member ?? ''}` : base;
    found.set(path, { path, written, isOptional, file: place?.file, line: place?.line });
  }
  return [...found.values()];
}

/** Returns the names that a statement defines in the template. */
function namesSetBy(node: JinjaNode): readonly string[] {
  const { loopvar, assignee, name, args, callerArgs } = membersOf(node);
  switch (node.type) {
    case 'For':
      return namesIn(loopvar);
    case 'Set':
      return namesIn(assignee);
    case 'Macro':
      return [...namesIn(name), ...namesIn(args)];
    case 'CallStatement':
      return namesIn(callerArgs);
    default:
      return [];
  }
}

/** Returns the names in an identifier, in a list of names, or in parameters with defaults. */
function namesIn(target: unknown): readonly string[] {
  if (Array.isArray(target)) return target.flatMap(namesIn);
  const name = identifierName(target);
  if (name !== undefined) return [name];
  if (!isNode(target)) return [];
  const { value, key } = membersOf(target);
  return namesIn(target.type === 'TupleLiteral' ? value : key);
}

/** Members that hold the name of a test, an argument or an operator (`and` is an identifier), which is not a variable. */
const notVariables: Readonly<Record<string, string>> = {
  BinaryExpression: 'operator',
  UnaryExpression: 'operator',
  TestExpression: 'test',
  KeywordArgumentExpression: 'key',
};
