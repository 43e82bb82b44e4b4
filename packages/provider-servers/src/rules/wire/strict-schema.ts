import { listIn, objectIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

/**
 * Returns the problems of a strict schema, as OpenAI reports them after `Invalid schema for …`. Empty if OpenAI would accept it.
 */
export function strictSchemaComplaints(schema: unknown): readonly string[] {
  const root = objectIn(schema) ?? {};
  if (root.type !== 'object') {
    return [`In context=(), schema must be of type "object", got ${JSON.stringify(root.type ?? null)}.`];
  }
  return complaints(root, []);
}

const unsupported: readonly string[] = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
];

/** provider-rules B10, B.4. */
function complaints(schema: JsonObject, context: readonly string[]): readonly string[] {
  const where = `In context=(${context.map((key) => `'${key}'`).join(', ')})`;
  const refused = unsupported.filter((key) => key in schema).map((key) => `${where}, '${key}' is not permitted.`);
  const properties = objectIn(schema.properties) ?? {};
  const isObject = schema.type === 'object' || listIn(schema.type).includes('object') || 'properties' in schema;
  const found: string[] = [...refused];
  if (isObject) {
    if (schema.additionalProperties !== false) {
      found.push(`${where}, 'additionalProperties' is required to be supplied and to be false.`);
    }
    const required = listIn(schema.required);
    const missing = Object.keys(properties).filter((key) => !required.includes(key));
    if (missing.length > 0) {
      const words = "'required' is required to be supplied and to be an array including every key in properties.";
      found.push(`${where}, ${words} Missing '${missing[0]}'.`);
    }
  }
  const children: readonly (readonly [readonly string[], unknown])[] = [
    ...Object.entries(properties).map(([key, value]) => [['properties', key], value] as const),
    [['items'], schema.items],
    ...listIn(schema.anyOf).map((value, index) => [['anyOf', String(index)], value] as const),
    ...['$defs', 'definitions'].flatMap((field) =>
      Object.entries(objectIn(schema[field]) ?? {}).map(([key, value]) => [[field, key], value] as const),
    ),
  ];
  return [
    ...found,
    ...children.flatMap(([keys, value]) => {
      const child = objectIn(value);
      return child === undefined ? [] : complaints(child, [...context, ...keys]);
    }),
  ];
}
