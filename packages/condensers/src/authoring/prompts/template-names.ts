/** The names that a template may use, and for each list the members that its items have. */
export interface KnownNames {
  readonly names: readonly string[];
  readonly each: Readonly<Record<string, readonly string[]>>;
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const builtIn = ['true', 'false', 'none', 'True', 'False', 'None', 'range', 'namespace', 'loop', 'caller'];

/**
 * The variables that a parsed template uses, and those that it has not got: Jinja prints nothing for them, so that a mistyped
 * name would leave a hole in the prompt that nobody sees.
 */
export function strangeNames(
  template: object,
  known: KnownNames,
): { readonly used: ReadonlySet<string>; readonly strange: readonly string[] } {
  const local = new Set(builtIn);
  const items = new Map<string, readonly string[]>();
  const used = new Set<string>();
  const members: { readonly of: string; readonly name: string }[] = [];
  visit(template, (node) => {
    if (node.type === 'For') {
      const item = nameOf(node['loopvar']);
      const list = known.each[nameOf(node['iterable']) ?? ''];
      if (item !== undefined && list !== undefined) items.set(item, list);
    }
    for (const definition of definitions(node)) visit(definition, (part) => local.add(nameOf(part) ?? ''));
    if (node.type === 'MemberExpression' && node['computed'] !== true)
      members.push({ of: nameOf(node['object']) ?? '', name: nameOf(node['property']) ?? '' });
    const name = nameOf(node);
    if (name !== undefined) used.add(name);
  });
  const isKnown = (name: string): boolean => local.has(name) || known.names.includes(name);
  return {
    used,
    strange: [
      ...[...used].filter((name) => !isKnown(name)),
      ...members
        .filter(({ of, name }) => items.get(of)?.includes(name) === false)
        .map(({ of, name }) => `${of}.${name}`),
    ],
  };
}

function nameOf(node: unknown): string | undefined {
  const { type, value } = (node ?? {}) as Partial<Node>;
  return type === 'Identifier' && typeof value === 'string' ? value : undefined;
}

/** The names that a statement brings into the template. */
function definitions(node: Node): readonly Node[] {
  switch (node.type) {
    case 'For':
      return [node['loopvar'] as Node];
    case 'Set':
      return [node['assignee'] as Node];
    case 'Macro':
      return [node['name'] as Node, ...(node['args'] as readonly Node[])];
    default:
      return [];
  }
}

/** Identifiers that name a filter, a test, an argument or an operator (`and` is one) are no variables. */
const notVariables: Readonly<Record<string, string>> = {
  BinaryExpression: 'operator',
  UnaryExpression: 'operator',
  FilterExpression: 'filter',
  FilterStatement: 'filter',
  TestExpression: 'test',
  KeywordArgumentExpression: 'key',
};

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, see);
    return;
  }
  if (typeof node !== 'object' || node === null || typeof (node as Partial<Node>).type !== 'string') return;
  const found = node as Node;
  see(found);
  for (const [member, value] of Object.entries(found)) {
    const isMember = found.type === 'MemberExpression' && member === 'property' && found['computed'] !== true;
    if (isMember || (notVariables[found.type] === member && nameOf(value) !== undefined)) continue;
    visit(value, see);
  }
}
