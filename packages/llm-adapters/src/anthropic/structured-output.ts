import type { ToolDefinition } from '@palimpsest/events';
import type { JsonSchemaFormat } from '../llm.js';
import { modelName } from '../models/model-name.js';
import { enforceableSchema } from './enforceable-schema.js';

/** How an answer is held to a schema: by the provider, or by a tool whose input is the answer. */
export type StructuredOutput = 'format' | 'tool';

/** Before 4.5 the provider holds no answer to a schema. */
const before45 = /^claude-(?:\d|instant|[a-z]+-4(?:-[0-4])?$)/;

/**
 * The way that serves a format. A schema that is not to be enforced, or cannot be, goes to a tool, since a format is always
 * enforced.
 */
export function structuredOutputFor({ strict, schema }: JsonSchemaFormat, model: string): StructuredOutput {
  if (before45.test(modelName(model))) return 'tool';
  return (strict ?? enforceableSchema(schema) !== undefined) ? 'format' : 'tool';
}

/** The schema as the provider takes it; as it is where it cannot be enforced, for the provider to say so. */
export function formatSchema({ schema }: JsonSchemaFormat): JsonSchemaFormat['schema'] {
  const { $schema: _dialect, ...plain } = schema;
  return enforceableSchema(plain) ?? plain;
}

/** A tool whose input is the answer. */
export interface AnswerTool {
  readonly definition: ToolDefinition;
  /** The answer's JSON text for an input. */
  readonly answerOf: (input: unknown) => string;
}

/** The tool for a format. Its name is the format's, or one made of it where a tool has that name already. */
export function answerTool(format: JsonSchemaFormat, tools: readonly ToolDefinition[]): AnswerTool {
  const taken = new Set(tools.map(({ name }) => name));
  let name = format.name;
  for (let count = 2; taken.has(name); count++) name = `${format.name}_${count}`;
  const description = 'Takes the final answer. Call it once, with the whole answer as its input.';
  // The input of a tool is an object; any other answer is one of its fields.
  if (format.schema.type === 'object') {
    return {
      definition: { name, description, inputSchema: format.schema },
      answerOf: (input) => JSON.stringify(input ?? {}),
    };
  }
  return {
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties: { answer: format.schema }, required: ['answer'] },
    },
    answerOf: (input) => JSON.stringify((input as { readonly answer?: unknown } | null)?.answer ?? null),
  };
}
