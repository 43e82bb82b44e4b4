import type { JsonSchemaFormat } from '../llm.js';

type Schema = Readonly<Record<string, unknown>>;

/** The keywords that OpenAI does not enforce. @see provider-rules B.4 */
const unsupported: readonly string[] = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'prefixItems',
];

/** A format in the form that both APIs accept. */
interface SendableFormat {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
}

/**
 * Returns a format with a schema that the provider can enforce, if that only narrows what the schema allows: an object
 * without `additionalProperties` allows no others, and a field that may be null is required. If that is not enough (an
 * optional field that may not be null, a record), the schema is sent as it is with `strict: false`, unless the request
 * says `strict: true`: then the provider decides.
 *
 * @see provider-rules B.4
 */
export function sendableFormat({ name, schema, strict }: JsonSchemaFormat): SendableFormat {
  const sendableName = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  const { $schema: _dialect, ...plain } = schema;
  const enforced = strict === false ? undefined : strictSchema(plain);
  return { name: sendableName, schema: { ...(enforced ?? plain) }, strict: strict ?? enforced !== undefined };
}

/**
 * Returns the schema in the form that the provider enforces; undefined if it cannot enforce the schema. The root is an
 * object.
 */
export function strictSchema(schema: Schema): Schema | undefined {
  if (schema.type !== 'object' || schema.anyOf !== undefined) return undefined;
  try {
    return strictOf(schema);
  } catch (error) {
    if (error instanceof NotEnforceable) return undefined;
    throw error;
  }
}

class NotEnforceable extends Error {}

function strictOf(schema: unknown): Schema {
  if (!isSchema(schema) || unsupported.some((keyword) => keyword in schema)) throw new NotEnforceable();
  const isObject = typesOf(schema).includes('object') || schema.properties !== undefined;
  return {
    ...schema,
    ...nested(schema),
    ...(isObject ? strictObject(schema) : {}),
  };
}

function nested(schema: Schema): Schema {
  const lists = Object.fromEntries(
    ['anyOf'].flatMap((key) => (Array.isArray(schema[key]) ? [[key, schema[key].map(strictOf)]] : [])),
  );
  const definitions = Object.fromEntries(
    ['$defs', 'definitions'].flatMap((key) => (isSchema(schema[key]) ? [[key, eachStrict(schema[key])]] : [])),
  );
  return { ...lists, ...definitions, ...(schema.items === undefined ? {} : { items: strictOf(schema.items) }) };
}

function strictObject(schema: Schema): Schema {
  // Without `properties` any object is allowed; if enforced, only the empty object would be.
  const { additionalProperties = false, properties } = schema;
  if (additionalProperties !== false || !isSchema(properties)) throw new NotEnforceable();
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, property] of Object.entries(properties)) {
    if (!required.has(name) && !mayBeNull(property)) throw new NotEnforceable();
  }
  return {
    properties: eachStrict(properties),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function eachStrict(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strictOf(schema)]));
}

function mayBeNull(schema: unknown): boolean {
  if (!isSchema(schema)) return false;
  if (typesOf(schema).includes('null')) return true;
  return Array.isArray(schema.anyOf) && schema.anyOf.some(mayBeNull);
}

function typesOf({ type }: Schema): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
