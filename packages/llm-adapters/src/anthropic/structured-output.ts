import type { ToolDefinition } from '@palimpsest/events';
import type { JsonSchemaFormat } from '../llm.js';
import { modelName } from '../models/model-facts.js';
import { isReadableInput, toolInput } from '../wire/tool-input.js';

/** The way in which a schema is enforced: by the provider, or by a tool whose input is the answer. */
export type StructuredOutput = 'format' | 'tool';

/** For models before 4.5 the provider does not enforce schemas. */
const before45 = /^claude-(?:\d|instant|[a-z]+-4(?:-[0-4])?$)/;

/**
 * Chooses the way for a format. A schema that must not or cannot be enforced becomes a tool, because the provider always
 * enforces a format.
 */
export function structuredOutputFor({ strict, schema }: JsonSchemaFormat, model: string): StructuredOutput {
  if (before45.test(modelName(model))) return 'tool';
  return (strict ?? enforceableSchema(schema) !== undefined) ? 'format' : 'tool';
}

/**
 * Returns the schema in the form that the provider accepts. A schema that cannot be enforced is sent unchanged, and the
 * provider refuses it.
 */
export function formatSchema({ schema }: JsonSchemaFormat): JsonSchemaFormat['schema'] {
  const { $schema: _dialect, ...plain } = schema;
  return enforceableSchema(plain) ?? plain;
}

/** A tool whose input is the answer. */
export interface AnswerTool {
  readonly definition: ToolDefinition;
  /** The answer's JSON text for the JSON text of an input. An input that was cut stays as it is. */
  readonly answerOf: (input: string) => string;
}

/** Returns the tool for a format. Its name is the format's name, or a derived name if another tool has that name. */
export function answerTool(format: JsonSchemaFormat, tools: readonly ToolDefinition[]): AnswerTool {
  const taken = new Set(tools.map(({ name }) => name));
  let name = format.name;
  for (let count = 2; taken.has(name); count++) name = `${format.name}_${count}`;
  const description = 'Takes the final answer. Call it once, with the whole answer as its input.';
  // The input of a tool is an object, so any other answer is wrapped in a field.
  if (format.schema.type === 'object') {
    return {
      definition: { name, description, inputSchema: format.schema },
      answerOf: (input) => input,
    };
  }
  return {
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties: { answer: format.schema }, required: ['answer'] },
    },
    answerOf: (input) => (isReadableInput(input) ? JSON.stringify(toolInput(input).answer ?? null) : input),
  };
}

type Schema = Readonly<Record<string, unknown>>;

/** Parts of a schema that the provider takes, beside those that hold schemas. */
const taken: readonly string[] = ['type', 'enum', 'const', 'default', 'title', 'description', 'required', '$ref'];

/** @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
const takenFormats: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
];

/**
 * Keywords that only narrow a schema: the provider refuses them as rules, but the model can read them as text in the
 * description.
 */
const narrowing: readonly string[] = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contentEncoding',
  'contentMediaType',
];

/**
 * Returns a schema in the form that the provider enforces: every object forbids other fields, and the keywords that the
 * provider refuses move into the description. Undefined if this would change the schema's meaning: a record, a part
 * that allows any value, a reference to the root.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function enforceableSchema(schema: Schema): Schema | undefined {
  try {
    return enforced(schema);
  } catch (error) {
    if (error instanceof NotEnforceable) return undefined;
    throw error;
  }
}

class NotEnforceable extends Error {}

function enforced(schema: unknown): Schema {
  if (!isSchema(schema)) throw new NotEnforceable();
  const isObject = schema.type === 'object' || schema.properties !== undefined;
  if (isObject && (!isSchema(schema.properties) || (schema.additionalProperties ?? false) !== false)) {
    throw new NotEnforceable();
  }
  if (!['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'].some((key) => key in schema) && !isObject) {
    throw new NotEnforceable();
  }
  const kept: Record<string, unknown> = {};
  const words: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && value === '#') throw new NotEnforceable();
    if (isTaken(key, value)) kept[key] = value;
    else if (key === '$defs' || key === 'definitions' || key === 'properties') kept[key] = eachEnforced(value);
    else if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
      kept[key === 'oneOf' ? 'anyOf' : key] = (Array.isArray(value) ? value : [undefined]).map(enforced);
    } else if (key === 'items') kept.items = enforced(value);
    else if (narrowing.includes(key)) words.push(`${key}: ${JSON.stringify(value)}`);
    else if (!ignored.includes(key)) throw new NotEnforceable();
  }
  const description = [kept.description, ...(words.length === 0 ? [] : [`(${words.join(', ')})`])].filter(isText);
  return {
    ...kept,
    ...(isObject ? { additionalProperties: false } : {}),
    ...(description.length === 0 ? {} : { description: description.join(' ') }),
  };
}

/** Keywords that do not constrain an answer, or that are written anew. */
const ignored: readonly string[] = ['$schema', '$id', '$comment', 'examples', 'additionalProperties'];

function isTaken(key: string, value: unknown): boolean {
  if (key === 'format') return takenFormats.includes(value);
  if (key === 'minItems') return value === 0 || value === 1;
  return taken.includes(key);
}

function eachEnforced(schemas: unknown): Schema {
  if (!isSchema(schemas)) throw new NotEnforceable();
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, enforced(schema)]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
