import { createHash } from 'node:crypto';
import { plainText } from './plain-text.js';

/** A JSON schema that every provider takes. */
export interface ModelSchema {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Keys that the model is told, and what the server calls them. Only those that differ. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The longest schema. Unit: characters of its JSON. */
const mostCharacters = 16_000;
const mostNodes = 2_000;
const mostDepth = 12;
const mostBranches = 20;
const mostValues = 200;
/** The lengths of the descriptions in a schema: what is too long is tried with shorter ones, then with none. Unit: characters. */
const wordLimits = [500, 120, 0];

type Node = Readonly<Record<string, unknown>>;

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const lengths = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];

/**
 * Returns the schema of a tool's input for a model. Providers refuse a whole request for one schema that they do not like, so only known keywords
 * are left, references are replaced by what they mean and cut where they go round, and keys have the letters that providers take. Keys
 * are sorted: some servers list them in another order at each start. The schema narrows nothing that the server takes: it checks the
 * input itself.
 *
 * @see provider-rules A13, B4, B.4
 */
export function modelSchema(schema: unknown): ModelSchema {
  for (const words of wordLimits) {
    const reader = new SchemaReader(schema, words);
    const inputSchema = reader.root();
    if (JSON.stringify(inputSchema).length <= mostCharacters) return { inputSchema, renamed: reader.renamed };
  }
  return { inputSchema: { type: 'object', properties: {} }, renamed: new Map() };
}

/** Returns the input as the server knows it: with its own keys. */
export function serverInput(input: unknown, renamed: ModelSchema['renamed']): unknown {
  if (renamed.size === 0 || typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input)) return input.map((item) => serverInput(item, renamed));
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [renamed.get(key) ?? key, serverInput(value, renamed)]),
  );
}

class SchemaReader {
  readonly renamed = new Map<string, string>();
  readonly #schema: unknown;
  readonly #words: number;
  #nodes = 0;

  constructor(schema: unknown, words: number) {
    this.#schema = schema;
    this.#words = words;
  }

  root(): Node {
    const { anyOf, properties, required, additionalProperties } = this.#node(this.#schema, 0, []);
    // Providers take no alternatives there: the model sees the keys of all.
    const alternatives = (anyOf as readonly Node[] | undefined) ?? [];
    const all = [...alternatives.map((one) => one['properties']), properties].filter(isNode);
    return {
      type: 'object',
      properties: sorted(all.flatMap((one) => Object.entries(one))),
      ...(required === undefined ? {} : { required }),
      ...(additionalProperties === undefined ? {} : { additionalProperties }),
    };
  }

  #node(given: unknown, depth: number, inside: readonly string[]): Node {
    if (!isNode(given) || depth > mostDepth || ++this.#nodes > mostNodes) return {};
    const reference = given['$ref'];
    if (typeof reference === 'string') {
      const { $ref: _, ...rest } = given;
      const target = inside.includes(reference) ? undefined : this.#target(reference);
      return this.#node(isNode(target) ? { ...target, ...rest } : rest, depth, [...inside, reference]);
    }
    const child = (value: unknown): Node => this.#node(value, depth + 1, inside);
    const parts = listOf(given['allOf']).map(child);
    const own = this.#object(given, child);
    const properties = [...parts, own].map((part) => part['properties']).filter(isNode);
    const required = [...parts, own].flatMap((part) => listOf(part['required']));
    const type = typeOf(given) ?? parts.find((part) => part['type'] !== undefined)?.['type'];
    const branches = [...listOf(given['anyOf']), ...listOf(given['oneOf'])].slice(0, mostBranches).map(child);
    const isObject = properties.length > 0 || has(type, 'object');
    return {
      ...(type === undefined && !isObject ? {} : { type: type ?? 'object' }),
      ...this.#description(given['description']),
      ...values(given),
      ...bounds(given),
      ...(properties.length === 0 ? {} : { properties: sorted(properties.flatMap((one) => Object.entries(one))) }),
      ...(required.length === 0 ? {} : { required: [...new Set(required as readonly string[])].sort() }),
      ...(own['additionalProperties'] === undefined ? {} : { additionalProperties: own['additionalProperties'] }),
      ...(has(type, 'array') ? { items: isNode(given['items']) ? child(given['items']) : {} } : {}),
      ...(branches.length === 0 ? {} : { anyOf: branches }),
    };
  }

  #object(given: Node, child: (value: unknown) => Node): Node {
    const { properties, required, additionalProperties: more } = given;
    const known = isNode(properties) ? Object.entries(properties).sort(byKey) : [];
    // A giant object is not read to its end.
    const read = known.slice(0, mostNodes - this.#nodes + 1).map(([key, value]) => [key, child(value)] as const);
    const names = new Set(read.map(([key]) => key));
    const needed = listOf(required).filter((key) => typeof key === 'string' && names.has(key)) as readonly string[];
    return {
      ...(read.length === 0
        ? {}
        : { properties: Object.fromEntries(read.map(([key, value]) => [this.#key(key), value])) }),
      ...(needed.length === 0 ? {} : { required: needed.map((key) => this.#key(key)) }),
      ...(typeof more === 'boolean' ? { additionalProperties: more } : {}),
      ...(isNode(more) ? { additionalProperties: child(more) } : {}),
    };
  }

  /** Providers take some letters and no others in keys. */
  #key(key: string): string {
    if (/^[A-Za-z0-9_.-]{1,64}$/.test(key)) return key;
    const digest = createHash('sha256').update(key).digest('hex').slice(0, 8);
    const name = `${key.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 55)}_${digest}`;
    this.renamed.set(name, key);
    return name;
  }

  #description(given: unknown): Node {
    const words = typeof given === 'string' && this.#words > 0 ? plainText(given, this.#words) : '';
    return words === '' ? {} : { description: words };
  }

  /** Returns the target of a reference within the schema. */
  #target(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    return reference
      .slice(1)
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => {
        const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
        return isNode(value) && Object.hasOwn(value, key) ? value[key] : undefined;
      }, this.#schema);
  }
}

function typeOf({ type }: Node): string | readonly string[] | undefined {
  const known = (Array.isArray(type) ? type : [type]).filter((one) => types.includes(one as string)) as string[];
  return known.length > 1 ? [...new Set(known)] : known[0];
}

function has(type: unknown, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function values(given: Node): Node {
  const listed = given['const'] === undefined ? listOf(given['enum']) : [given['const']];
  const scalars = listed.filter(isScalar).slice(0, mostValues).map(wellFormed);
  return {
    ...(scalars.length > 0 && scalars.length === listed.length ? { enum: scalars } : {}),
    ...(isScalar(given['default']) ? { default: wellFormed(given['default']) } : {}),
  };
}

function bounds(given: Node): Node {
  const { format, pattern, uniqueItems } = given;
  const kept = [
    ...numbers.filter((name) => Number.isFinite(given[name])),
    ...lengths.filter((name) => Number.isSafeInteger(given[name]) && Number(given[name]) >= 0),
  ];
  return {
    ...(typeof format === 'string' && /^[a-z][a-z-]{0,31}$/.test(format) ? { format } : {}),
    ...(typeof pattern === 'string' && isPattern(pattern) ? { pattern } : {}),
    ...Object.fromEntries(kept.map((name) => [name, given[name]])),
    ...(typeof uniqueItems === 'boolean' ? { uniqueItems } : {}),
  };
}

function isPattern(pattern: string): boolean {
  if (pattern.length > 200 || pattern !== plainText(pattern, 200)) return false;
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 200;
  return value === null || typeof value === 'boolean' || Number.isFinite(value);
}

function wellFormed(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sorted(entries: readonly (readonly [string, unknown])[]): Node {
  return Object.fromEntries([...entries].sort(byKey));
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
